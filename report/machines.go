package report

import (
	"cmp"
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
	machines := make([]machine, len(runs))
	for i, r := range runs {
		view := answer.Of(r.Run, structures)
		machines[i] = machine{r, view, view.Adviser(), string(rune('A' + i%26))}
	}
	p := machinesPage(machines)
	return p.Front.Lead.String(), p.write(dir, func() error { return nil })
}

// machine is the results of a machine, which tables name by a letter.
type machine struct {
	results.Named
	view    *answer.Run
	adviser *answer.Adviser
	letter  string
}

// compared is one question with the answers of all machines. A score is a multiple of the best.
type compared struct {
	question string
	answers  []answer.Ranking // by machine, the best first
	agreement
	elsewhere answer.Ranked // winner of one machine with the largest multiple on another machine

	why, cause string // why the machines disagree, if the question is a cell and nothing holds; caches, core or unknown
}

// agreement is what answers of several machines have in common.
type agreement struct {
	holds   string        // structure that may be the best on all machines; empty: none
	certain bool          // it ties with the best, or is it, on all
	steady  answer.Ranked // structure with the smallest worst multiple over the machines, and that multiple
}

func machinesPage(machines []machine) *page {
	p := &page{Title: "Timer structures on several machines"}
	list := &show.Table{Align: "l", Header: []string{"", "Machine", "System", "Caches", "Made", "timerbench", "Results"}}
	for _, m := range machines {
		e := m.Environment
		list.Add(m.letter, fmt.Sprintf("%s, %s", cmp.Or(e.CPU, "unknown"), show.Count(e.Cores, "core")),
			strings.Join(strings.Fields(strings.Trim(e.OS+"/"+e.Arch, "/")+" "+e.ArchLevel+" "+e.Go), ", "),
			section.CachesOf(e), m.Created.UTC().Format("2 January 2006"), cmp.Or(e.Build(), show.Unknown), m.Name)
	}
	var questions, cells []compared
	for _, x := range machines[0].adviser.Standard() {
		questions = appendJudged(questions, x.Words(), machines, func(m machine) (out answer.Ranking) {
			y, _ := m.adviser.Answer(x.Question)
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
	for _, c := range machines[0].view.Cells {
		newest := 0
		for _, m := range machines {
			if same := m.Cell(c.Workload, c.N); same != nil {
				newest = max(newest, same.Definition)
			}
		}
		before := len(cells)
		cells = appendJudged(cells, fmt.Sprintf("%s, %s timers", c.Workload, show.Grouped(c.N)), machines, func(m machine) (out answer.Ranking) {
			for _, same := range m.view.CellsOf(c.Workload) {
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
		if len(cells) > before && cells[before].holds == "" {
			cells[before].explain(c.N, machines)
		}
	}
	p.Front.Lead = append(show.Para(sumUp(len(machines), "question", questions)), show.Para(sumUp(len(machines), "cell", cells)+causes(cells, machines))...)
	if redefined > 0 {
		p.Front.Lead = append(p.Front.Lead, show.Para(fmt.Sprintf("%s left out: another machine measured a newer definition of the workload.",
			show.Count(redefined, "cell")))...)
	}
	if len(questions)+len(cells) == 0 {
		p.Front.Lead = show.Para("These results have no cell in common.")
	}
	p.Front.Tables = []section.Table{{Body: show.Tables(list), Main: true}}
	const how = "Holds: the structure is the best or ties with it on all machines. A question mark means that it is " +
		"certainly worse on no machine but not a tie on all. Elsewhere: the largest cost of a winner of one " +
		"machine on another machine, as a multiple of the best there. For all: the structure with the smallest " +
		"worst multiple. Why: where nothing holds, it is the caches if machines agree that hold the timers in the same " +
		"cache, else the core, which is the rest of the processor. It is unknown if machines with known caches agree."
	p.Sections = slices.DeleteFunc([]section.Section{
		{Title: "Does the winner of a question hold on all machines?", Lead: show.Para(how),
			Tables: []section.Table{{Body: show.Tables(machinesTable("Question", machines, questions)), Main: true}}},
		{Title: "And in each cell?",
			Tables: []section.Table{{Title: "The fastest structure of each cell", Body: show.Tables(machinesTable("Cell", machines, cells)), Open: true}}},
	}, func(s section.Section) bool { return len(s.Tables[0].Body) == 0 })
	return p
}

// explain says why the machines disagree on a cell of n timers. It is their caches if machines that hold the timers in
// the same cache agree, else the core. It is unknown if the machines with known caches agree.
func (c *compared) explain(n int, machines []machine) {
	bytes := 0 // of a timer of the largest winner
	for _, of := range c.answers {
		e, _ := machines[0].view.Entry(of[0].Structure)
		bytes = max(bytes, cmp.Or(e.MaxBytes, 64))
	}
	in, answers := make(map[string][]string), make(map[string][]answer.Ranking) // by cache
	var known []answer.Ranking
	for i, m := range machines {
		e, at := m.Environment, "memory"
		switch all := n * bytes; {
		case e.L1Data == 0:
			at = "an unknown cache"
		case e.L1Data >= all:
			at = "L1"
		case e.L2 >= all:
			at = "L2"
		case e.L3 >= all:
			at = "L3"
		}
		in[at] = append(in[at], m.letter)
		if e.L1Data > 0 {
			known, answers[at] = append(known, c.answers[i]), append(answers[at], c.answers[i])
		}
	}
	c.cause = "caches"
	for _, same := range answers {
		if len(answers) == 1 || common(same).holds == "" {
			c.cause = "core"
		}
	}
	if len(known) == 0 || common(known).holds != "" {
		c.cause = "unknown"
	}
	var places []string
	for _, at := range slices.Sorted(maps.Keys(in)) {
		places = append(places, at+" of "+strings.Join(in[at], " "))
	}
	c.why = fmt.Sprintf("%s: %s in %s", c.cause, show.Bytes(float64(n*bytes)), strings.Join(places, ", "))
}

// causes counts the causes of disagreement. Runs of several revisions may also differ by their code.
func causes(cells []compared, machines []machine) string {
	causes, revisions, out := make(map[string]int), make(map[string]bool), ""
	for _, c := range cells {
		causes[c.cause]++
	}
	for _, m := range machines {
		revisions[m.Environment.Revision] = true
	}
	if len(cells) > causes[""] {
		out = fmt.Sprintf(" Where no winner holds, the cause is the caches in %s, the core in %d, and unknown caches in %d.",
			show.Count(causes["caches"], "cell"), causes["core"], causes["unknown"])
	}
	if len(revisions) > 1 {
		out += fmt.Sprintf(" The runs are of %d revisions of timerbench, so a difference can also come from the code.", len(revisions))
	}
	return out
}

// appendJudged appends a question if every machine answers it.
func appendJudged(list []compared, question string, machines []machine, rank func(machine) answer.Ranking) []compared {
	c := compared{question: question}
	for _, m := range machines {
		of := rank(m)
		if len(of) == 0 {
			return list
		}
		c.answers = append(c.answers, of)
	}
	c.agreement = common(c.answers)
	for _, r := range c.answers {
		for _, y := range slices.Concat(c.answers...) {
			if y.Structure == r[0].Structure && y.Score > c.elsewhere.Score {
				c.elsewhere = y
			}
		}
	}
	return append(list, c)
}

func common(answers []answer.Ranking) agreement {
	out := agreement{steady: answer.Ranked{Score: math.Inf(1)}}
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
		if most < out.steady.Score {
			out.steady = answer.Ranked{Structure: x.Structure, Score: most}
		}
		if !worse && (out.holds == "" || tie && !out.certain) {
			out.holds, out.certain = x.Structure, tie
		}
	}
	return out
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
		if c.elsewhere.Score > worst.elsewhere.Score {
			worst = c
		}
	}
	out := fmt.Sprintf("Of %s, %d have a winner that holds on all %d machines, %d are open, and %d have none.",
		show.Count(len(list), what), holds, machines, open, len(list)-holds-open)
	if worst.elsewhere.Score > 1 {
		out += fmt.Sprintf(" At worst the winner of one machine takes %s times as long as the best of another: %s, %s.",
			show.Times(worst.elsewhere.Score), worst.elsewhere.Structure, worst.question)
	}
	return out
}

func machinesTable(what string, machines []machine, list []compared) *show.Table {
	t := &show.Table{Align: "l", Header: []string{what}}
	for _, m := range machines {
		t.Header = append(t.Header, "Winner on "+m.letter)
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
		holds := cmp.Or(c.holds, "none")
		if c.holds != "" && !c.certain {
			holds += "?"
		}
		line = append(line, holds, multiple(c.elsewhere, c.elsewhere.Score > 1), multiple(c.steady, c.steady.Structure != ""))
		if why {
			line = append(line, c.why)
		}
		t.Add(line...)
	}
	return t
}

// multiple is a structure and its cost as a multiple, if it is known.
func multiple(s answer.Ranked, known bool) any {
	if !known {
		return nil
	}
	return show.Number(s.Score, fmt.Sprintf("%s %s ×", s.Structure, show.Times(s.Score)))
}
