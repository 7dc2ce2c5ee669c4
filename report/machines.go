package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/analysis"
	"github.com/timerbench/timerbench/report/internal/section"
)

// WriteMachines writes the page of runs of several machines to the folder dir, which it creates if it is
// missing. The page says whether the winner of each question holds on all machines, and by how much the
// costs change. It has no charts; each run has a page of its own. WriteMachines returns the first
// paragraphs of the page.
func WriteMachines(dir string, runs []results.Named) (lead string, err error) {
	if len(runs) < 2 {
		return "", errors.New("report: want the results of at least two machines")
	}
	p := machinesPage(runs)
	return p.Front.Lead.String(), p.write(dir, func() error { return nil })
}

// choice is a structure and its cost as a multiple of the best.
type choice struct {
	structure string
	times     float64
	standing  stats.Standing // relative to the best
	ns        float64        // of a unit; 0: not known
}

// compared is one question with the answers of all machines.
type compared struct {
	question string
	answers  [][]choice // by machine, the best first

	holds     string  // structure that may be the best on all machines; empty: none
	certain   bool    // it ties with the best, or is it, on all
	elsewhere float64 // largest multiple of a winner of one machine on another machine
	loser     string  // that winner
	steady    choice  // structure with the smallest worst multiple over the machines, and that multiple
}

func machinesPage(runs []results.Named) *page {
	p := &page{Title: "Timer structures on several machines"}
	var views []*analysis.Run
	var advisers []*analysis.Adviser
	var letters []string
	machines := &show.Table{Align: "llllll", Header: []string{"", "Machine", "System", "Made", "Commit", "Results"}}
	for i, r := range runs {
		v := analysis.Of(r.Run)
		views, advisers = append(views, v), append(advisers, v.Adviser())
		letters = append(letters, string(rune('A'+i%26)))
		e := r.Environment
		machines.Add(letters[i], fmt.Sprintf("%s, %s", cmp.Or(e.CPU, "unknown"), show.Count(e.Cores, "core")),
			strings.Join(strings.Fields(strings.Trim(e.OS+"/"+e.Arch, "/")+" "+e.ArchLevel+" "+e.Go), ", "),
			r.Created.UTC().Format("2 January 2006"),
			cmp.Or(e.Revision[:min(12, len(e.Revision))], show.Unknown), r.Name)
	}
	var questions, cells []compared
	for _, x := range advisers[0].Standard() {
		questions = appendJudged(questions, x.Words(), len(runs), func(machine int) (out []choice) {
			y, _ := advisers[machine].Answer(x.Question)
			for _, s := range y.Ranking {
				c := choice{s.Structure, s.Score / y.Ranking[0].Score, s.Standing, s.NS}
				if out = append(out, c); s.Structure == y.Name { // the winner comes first
					out = slices.Insert(out[:len(out)-1], 0, c)
				}
			}
			return out
		})
	}
	for _, c := range views[0].Cells {
		question := fmt.Sprintf("%s, %s timers", c.Workload, show.Grouped(c.N))
		cells = appendJudged(cells, question, len(runs), func(machine int) (out []choice) {
			for _, same := range views[machine].CellsOf(c.Workload) {
				if same.N == c.N {
					for _, s := range same.Ranked {
						out = append(out, choice{s.Structure, same.ToBest(s).Center, same.ToBest(s).Standing(), same.Cost(s).Center})
					}
				}
			}
			return out
		})
	}
	p.Front.Lead = append(show.Para(sumUp(len(runs), "question", questions)), show.Para(sumUp(len(runs), "cell", cells))...)
	p.Front.Tables = []section.Table{{Body: show.Tables(machines), Main: true}}
	const how = "Holds: the structure is the best or ties with it on all machines. A question mark means that it is " +
		"certainly worse on no machine but not a tie on all. Elsewhere: the largest cost of a winner of one " +
		"machine on another machine, as a multiple of the best there. For all: the structure with the smallest " +
		"worst multiple."
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

// appendJudged appends a question if every machine answers it.
func appendJudged(list []compared, question string, machines int, answer func(machine int) []choice) []compared {
	c := compared{question: question, steady: choice{times: math.Inf(1)}}
	for machine := range machines {
		of := answer(machine)
		if len(of) == 0 {
			return list
		}
		c.answers = append(c.answers, of)
	}
	for _, x := range c.answers[0] {
		most, worse, tie := 0.0, false, true
		for _, r := range c.answers {
			i := slices.IndexFunc(r, func(y choice) bool { return y.structure == x.structure })
			if i < 0 {
				most, worse = math.Inf(1), true
				break
			}
			most = max(most, r[i].times)
			worse = worse || i > 0 && r[i].standing == stats.Worse
			tie = tie && (i == 0 || r[i].standing == stats.Tie)
		}
		if most < c.steady.times {
			c.steady = choice{structure: x.structure, times: most}
		}
		if better := c.holds == "" || tie && !c.certain; !worse && better {
			c.holds, c.certain = x.structure, tie
		}
	}
	for _, r := range c.answers {
		for _, y := range slices.Concat(c.answers...) {
			if y.structure == r[0].structure && y.times > c.elsewhere {
				c.elsewhere, c.loser = y.times, y.structure
			}
		}
	}
	return append(list, c)
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
	for _, c := range list {
		line := []any{c.question}
		for _, r := range c.answers {
			winner := show.Words(r[0].structure)
			if r[0].ns > 0 {
				winner = show.Number(r[0].ns, fmt.Sprintf("%s %s ns", r[0].structure, show.Figure(r[0].ns)))
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
		if c.steady.structure != "" {
			steady = multiple(c.steady.structure, c.steady.times)
		}
		t.Add(append(line, holds, elsewhere, steady)...)
	}
	return t
}

// multiple is a structure and its cost as a multiple.
func multiple(structure string, times float64) show.Cell {
	return show.Number(times, fmt.Sprintf("%s %s ×", structure, show.Times(times)))
}
