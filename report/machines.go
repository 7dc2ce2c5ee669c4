package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/structures/entry"
)

// WriteMachines writes the page of runs of several machines to the folder dir, which it creates if it is
// missing. The page says whether the winner of each question holds on all machines, and by how much the
// costs change. It has no charts; each run has a page of its own. WriteMachines returns the first
// paragraphs of the page.
func WriteMachines(dir string, runs []results.Named, structures []entry.Entry) (lead string, err error) {
	if len(runs) < 2 {
		return "", errors.New("report: want the results of at least two machines")
	}
	p := machinesPage(runs, structures)
	return p.Front.Lead.String(), p.write(dir, func() error { return nil })
}

// compared is one question with the answers of all machines. A score is a multiple of the best.
type compared struct {
	question string
	answers  []answer.Ranking // by machine, the best first

	holds     string        // structure that may be the best on all machines; empty: none
	certain   bool          // it ties with the best, or is it, on all
	elsewhere float64       // largest multiple of a winner of one machine on another machine
	loser     string        // that winner
	steady    answer.Ranked // structure with the smallest worst multiple over the machines, and that multiple

	why, cause string // why the machines disagree, if the question is a cell and nothing holds; caches, core or unknown
}

func machinesPage(runs []results.Named, structures []entry.Entry) *page {
	p := &page{Title: "Timer structures on several machines"}
	var views []*answer.Run
	var advisers []*answer.Adviser
	var letters []string
	machines := &show.Table{Align: "lllllll", Header: []string{"", "Machine", "System", "Caches", "Made", "timerbench", "Results"}}
	for i, r := range runs {
		v := answer.Of(r.Run, structures)
		views, advisers = append(views, v), append(advisers, v.Adviser())
		letters = append(letters, string(rune('A'+i%26)))
		e := r.Environment
		machines.Add(letters[i], fmt.Sprintf("%s, %s", cmp.Or(e.CPU, "unknown"), show.Count(e.Cores, "core")),
			strings.Join(strings.Fields(strings.Trim(e.OS+"/"+e.Arch, "/")+" "+e.ArchLevel+" "+e.Go), ", "),
			section.CachesOf(e), r.Created.UTC().Format("2 January 2006"),
			cmp.Or(e.Build(), show.Unknown), r.Name)
	}
	var questions, cells []compared
	for _, x := range advisers[0].Standard() {
		questions = appendJudged(questions, x.Words(), len(runs), func(machine int) (out answer.Ranking) {
			y, _ := advisers[machine].Answer(x.Question)
			for _, s := range y.Ranking {
				s.Score /= y.Ranking[0].Score
				if out = append(out, s); s.Structure == y.Name { // the winner comes first
					out = slices.Insert(out[:len(out)-1], 0, s)
				}
			}
			return out
		})
	}
	redefined := 0
	for _, c := range views[0].Cells {
		newest := 0
		for _, r := range runs {
			if same := r.Cell(c.Workload, c.N); same != nil {
				newest = max(newest, same.Definition)
			}
		}
		question := fmt.Sprintf("%s, %s timers", c.Workload, show.Grouped(c.N))
		cells = appendJudged(cells, question, len(runs), func(machine int) (out answer.Ranking) {
			for _, same := range views[machine].CellsOf(c.Workload) {
				if same.N == c.N && same.Definition < newest {
					redefined++
				} else if same.N == c.N {
					for _, s := range same.Ranked {
						to := same.ToBest(s)
						out = append(out, answer.Ranked{Structure: s.Structure, Score: to.Center, Standing: to.Standing(), NS: same.Cost(s).Center})
					}
				}
			}
			return out
		})
		if last := len(cells) - 1; last >= 0 && cells[last].question == question && cells[last].holds == "" {
			cells[last].explain(c.N, letters, runs, views[0])
		}
	}
	p.Front.Lead = append(show.Para(sumUp(len(runs), "question", questions)), show.Para(sumUp(len(runs), "cell", cells)+causes(cells, runs))...)
	if redefined > 0 {
		p.Front.Lead = append(p.Front.Lead, show.Para(fmt.Sprintf("%s left out: another machine measured a newer definition of the workload.",
			show.Count(redefined, "cell")))...)
	}
	p.Front.Tables = []section.Table{{Body: show.Tables(machines), Main: true}}
	const how = "Holds: the structure is the best or ties with it on all machines. A question mark means that it is " +
		"certainly worse on no machine but not a tie on all. Elsewhere: the largest cost of a winner of one " +
		"machine on another machine, as a multiple of the best there. For all: the structure with the smallest " +
		"worst multiple. Why: where nothing holds, it is the caches if machines agree that hold the timers in the same " +
		"cache, else the core, which is the rest of the processor. It is unknown if machines with known caches agree."
	p.Sections = []section.Section{
		{Title: "Does the winner of a question hold on all machines?", Lead: show.Para(how),
			Tables: []section.Table{{Body: show.Tables(machinesTable("Question", letters, questions)), Main: true}}},
		{Title: "And in each cell?",
			Tables: []section.Table{{Title: "The fastest structure of each cell", Body: show.Tables(machinesTable("Cell", letters, cells)), Open: true}}},
	}
	p.Sections = slices.DeleteFunc(p.Sections, func(s section.Section) bool { return len(s.Tables[0].Body) == 0 })
	if len(questions)+len(cells) == 0 {
		p.Front.Lead = show.Para("These results have no cell in common.")
	}
	return p
}

// explain says why the machines disagree on a cell of n timers. It is their caches if machines that hold the timers in
// the same cache agree, else the core. It is unknown if the machines with known caches agree.
func (c *compared) explain(n int, letters []string, runs []results.Named, v *answer.Run) {
	bytes := 0 // of a timer of the largest winner
	for _, of := range c.answers {
		e, _ := v.Entry(of[0].Structure)
		bytes = max(bytes, cmp.Or(e.MaxBytes, 64))
	}
	in, answers := make(map[string][]string), make(map[string][]answer.Ranking) // by cache
	var known []answer.Ranking
	for i, r := range runs {
		e, at := r.Environment, "memory"
		for _, cache := range []struct {
			name  string
			bytes int
		}{{"L3", e.L3}, {"L2", e.L2}, {"L1", e.L1Data}} {
			if cache.bytes >= n*bytes {
				at = cache.name
			}
		}
		if e.L1Data == 0 {
			at = "an unknown cache"
		} else {
			known = append(known, c.answers[i])
			answers[at] = append(answers[at], c.answers[i])
		}
		in[at] = append(in[at], letters[i])
	}
	c.cause = "caches"
	for _, same := range answers {
		if holds, _, _ := common(same); holds == "" || len(answers) == 1 {
			c.cause = "core"
		}
	}
	if len(known) == 0 {
		c.cause = "unknown"
	} else if holds, _, _ := common(known); holds != "" {
		c.cause = "unknown"
	}
	var places []string
	for _, at := range slices.Sorted(maps.Keys(in)) {
		places = append(places, at+" of "+strings.Join(in[at], " "))
	}
	c.why = fmt.Sprintf("%s: %s in %s", c.cause, show.Bytes(float64(n*bytes)), strings.Join(places, ", "))
}

// causes counts the causes of disagreement. Runs of several revisions may also differ by their code.
func causes(cells []compared, runs []results.Named) string {
	causes, out := make(map[string]int), ""
	for _, c := range cells {
		causes[c.cause]++
	}
	if n := len(cells) - causes[""]; n > 0 {
		out = fmt.Sprintf(" Where no winner holds, the cause is the caches in %s, the core in %d, and unknown caches in %d.",
			show.Count(causes["caches"], "cell"), causes["core"], causes["unknown"])
	}
	revisions := make(map[string]bool)
	for _, r := range runs {
		revisions[r.Environment.Revision] = true
	}
	if len(revisions) > 1 {
		out += fmt.Sprintf(" The runs are of %d revisions of timerbench, so a difference can also come from the code.", len(revisions))
	}
	return out
}

// appendJudged appends a question if every machine answers it.
func appendJudged(list []compared, question string, machines int, rank func(machine int) answer.Ranking) []compared {
	c := compared{question: question}
	for machine := range machines {
		of := rank(machine)
		if len(of) == 0 {
			return list
		}
		c.answers = append(c.answers, of)
	}
	c.holds, c.certain, c.steady = common(c.answers)
	for _, r := range c.answers {
		for _, y := range slices.Concat(c.answers...) {
			if y.Structure == r[0].Structure && y.Score > c.elsewhere {
				c.elsewhere, c.loser = y.Score, y.Structure
			}
		}
	}
	return append(list, c)
}

// common returns the structure that may be the best on all machines, whether that is certain, and the structure with the
// smallest worst multiple.
func common(answers []answer.Ranking) (holds string, certain bool, steady answer.Ranked) {
	steady.Score = math.Inf(1)
	for _, x := range answers[0] {
		most, worse, tie := 0.0, false, true
		for _, r := range answers {
			i := slices.IndexFunc(r, func(y answer.Ranked) bool { return y.Structure == x.Structure })
			if i < 0 {
				most, worse = math.Inf(1), true
				break
			}
			most = max(most, r[i].Score)
			worse = worse || i > 0 && r[i].Standing == stats.Worse
			tie = tie && (i == 0 || r[i].Standing == stats.Tie)
		}
		if most < steady.Score {
			steady = answer.Ranked{Structure: x.Structure, Score: most}
		}
		if better := holds == "" || tie && !certain; !worse && better {
			holds, certain = x.Structure, tie
		}
	}
	return holds, certain, steady
}

func sumUp(machines int, what string, list []compared) string {
	if len(list) == 0 {
		return ""
	}
	holds, open, worst := 0, 0, compared{}
	for _, c := range list {
		switch {
		case c.certain:
			holds++
		case c.holds != "":
			open++
		}
		if c.elsewhere > worst.elsewhere {
			worst = c
		}
	}
	all := show.Count(len(list), what)
	out := fmt.Sprintf("Of %s, %d have a winner that holds on all %d machines, %d are open, and %d have none.",
		all, holds, machines, open, len(list)-holds-open)
	if worst.elsewhere > 1 {
		out += fmt.Sprintf(" At worst the winner of one machine takes %s times as long as the best of another: %s, %s.",
			show.Times(worst.elsewhere), worst.loser, worst.question)
	}
	return out
}

func machinesTable(what string, letters []string, list []compared) *show.Table {
	t := &show.Table{Align: "l", Header: []string{what}}
	for _, letter := range letters {
		t.Header = append(t.Header, "Winner on "+letter)
	}
	t.Header = append(t.Header, "Holds", "Elsewhere", "For all")
	why := slices.ContainsFunc(list, func(c compared) bool { return c.why != "" })
	if why {
		t.Header = append(t.Header, "Why")
	}
	for _, c := range list {
		line := []any{c.question}
		for _, r := range c.answers {
			winner := show.Words(r[0].Structure)
			if r[0].NS > 0 {
				winner = show.Number(r[0].NS, fmt.Sprintf("%s %s ns", r[0].Structure, show.Figure(r[0].NS)))
			}
			line = append(line, winner)
		}
		holds := "none"
		switch {
		case c.certain:
			holds = c.holds
		case c.holds != "":
			holds = c.holds + "?"
		}
		var elsewhere, steady any
		if c.elsewhere > 1 {
			elsewhere = multiple(c.loser, c.elsewhere)
		}
		if c.steady.Structure != "" {
			steady = multiple(c.steady.Structure, c.steady.Score)
		}
		line = append(line, holds, elsewhere, steady)
		if why {
			line = append(line, c.why)
		}
		t.Add(line...)
	}
	return t
}

// multiple is a structure and its cost as a multiple.
func multiple(structure string, times float64) show.Cell {
	return show.Number(times, fmt.Sprintf("%s %s ×", structure, show.Times(times)))
}
