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
	"github.com/timerbench/timerbench/report/advice"
	"github.com/timerbench/timerbench/report/internal/analysis"
	"github.com/timerbench/timerbench/report/internal/section"
)

// WriteMachines makes the page of the runs of several machines in the folder dir, which it creates
// when missing: does the winner of a question hold on all of them, and by how much does it change?
// There are no charts: those of a run are on its own page. It returns what the page says first.
func WriteMachines(dir string, runs []results.Named) (lead string, err error) {
	if len(runs) < 2 {
		return "", errors.New("report: want the results of at least two machines")
	}
	p := machinesPage(runs)
	html, err := p.html()
	if err != nil {
		return "", err
	}
	return p.front.Lead, writePages(dir, p, html)
}

// ranked are the structures that answer a question on one machine, the best first.
type ranked []choice

// choice is a structure and its cost as a multiple of the best.
type choice struct {
	structure string
	times     stats.Interval
	ns        float64 // of a unit; 0: not known
}

// compared is one question, as all machines answer it.
type compared struct {
	question string
	answers  []ranked // by machine

	holds     string  // structure that may be the best on all machines; empty: none
	certain   bool    // it ties with the best, or is it, on all
	elsewhere float64 // largest multiple of the best that a winner of one machine has on another
	loser     string  // that winner
	steady    choice  // structure whose largest multiple over the machines is the least; times.Center is that multiple
}

func machinesPage(runs []results.Named) *page {
	p := &page{title: "Timer structures on several machines"}
	var views []*analysis.Run
	var advisers []*advice.Adviser
	machines := show.Table{Align: "llllll", Header: []string{"", "Machine", "System", "Made", "Commit", "Results"}}
	letters := make([]string, len(runs))
	for i, r := range runs {
		v := analysis.Of(r.Run)
		views, advisers = append(views, v), append(advisers, advice.Of(v))
		letters[i] = string(rune('A' + i%26))
		e := r.Environment
		machines.Add(letters[i], section.Literal(fmt.Sprintf("%s, %s", cmp.Or(e.CPU, "unknown"), show.Count(e.Cores, "core"))),
			section.Literal(strings.Join(strings.Fields(strings.Trim(e.OS+"/"+e.Arch, "/")+" "+e.ArchLevel+" "+e.Go), ", ")),
			r.Created.UTC().Format("2 January 2006"), section.Literal(cmp.Or(first(e.Revision, 12), show.Unknown)),
			section.Literal(r.Name))
	}
	questions := questionsOf(advisers)
	cells := cellsOf(views)
	p.front.Lead = sumUp(len(runs), "question", questions)
	if cellsLead := sumUp(len(runs), "cell", cells); cellsLead != "" {
		p.front.Lead = strings.TrimSpace(p.front.Lead + "\n\n" + cellsLead)
	}
	p.front.Tables = []section.Table{{Body: machines.Markdown(), Main: true}}
	const how = "Holds: a structure is the best, or ties with it, on all machines. With a question mark: it is " +
		"certainly worse on none of them, but not a tie on all. Elsewhere: the most that a winner of one " +
		"machine costs on another one, as a multiple of the best there. For all: the structure whose largest " +
		"multiple is the least, and that multiple."
	p.sections = []section.Section{
		{Title: "Does the winner of a question hold on all machines?", Lead: how,
			Tables: []section.Table{{Body: machinesTable("Question", letters, questions), Main: true}}},
		{Title: "And in each cell?",
			Tables: []section.Table{{Title: "The fastest structure of each cell", Body: machinesTable("Cell", letters, cells), Open: true}}},
	}
	p.sections = slices.DeleteFunc(p.sections, func(s section.Section) bool { return s.Tables[0].Body == "" })
	if len(questions)+len(cells) == 0 {
		p.front.Lead = "These results have no cell in common."
	}
	return p
}

// first shortens a text.
func first(s string, letters int) string { return s[:min(letters, len(s))] }

// questionsOf are the standard questions that all runs answer.
func questionsOf(advisers []*advice.Adviser) []compared {
	var lists [][]advice.Answer
	for _, a := range advisers {
		lists = append(lists, a.Standard())
	}
	var out []compared
	for _, x := range lists[0] {
		c := compared{question: x.Words()}
		for _, list := range lists {
			for _, y := range list {
				if y.Question == x.Question {
					var r ranked
					for _, s := range y.Ranking {
						r = append(r, choice{s.Structure, s.Times, s.NS})
					}
					c.answers = append(c.answers, r)
				}
			}
		}
		out = c.appendTo(out, len(advisers))
	}
	return out
}

// cellsOf are the cells that all runs have.
func cellsOf(runs []*analysis.Run) []compared {
	var out []compared
	for _, cell := range runs[0].Cells {
		c := compared{question: fmt.Sprintf("%s, %s timers", cell.Workload, show.Grouped(cell.N))}
		for _, r := range runs {
			for _, same := range r.CellsOf(cell.Workload) {
				if same.N == cell.N {
					var list ranked
					for _, s := range same.Ranked {
						list = append(list, choice{s.Structure, s.ToBest.Interval, s.Cost().Median})
					}
					c.answers = append(c.answers, list)
				}
			}
		}
		out = c.appendTo(out, len(runs))
	}
	return out
}

// appendTo judges a question and appends it, if each of so many machines answers it.
func (c compared) appendTo(list []compared, machines int) []compared {
	answered := slices.DeleteFunc(slices.Clone(c.answers), func(r ranked) bool { return len(r) == 0 })
	if len(answered) < machines {
		return list
	}
	c.steady.times.Center = math.Inf(1)
	for _, x := range c.answers[0] {
		most, worse, tie := 0.0, false, true
		for _, r := range c.answers {
			i := slices.IndexFunc(r, func(y choice) bool { return y.structure == x.structure })
			if i < 0 {
				most, worse = math.Inf(1), true
				break
			}
			standing := r[i].times.Standing()
			most = max(most, r[i].times.Center)
			worse = worse || i > 0 && standing == stats.Worse
			tie = tie && (i == 0 || standing == stats.Tie)
		}
		if most < c.steady.times.Center {
			c.steady = choice{structure: x.structure, times: stats.Interval{Center: most}}
		}
		if better := c.holds == "" || tie && !c.certain; !worse && better {
			c.holds, c.certain = x.structure, tie
		}
	}
	for _, r := range c.answers {
		for _, of := range c.answers {
			for _, y := range of {
				if y.structure == r[0].structure && y.times.Center > c.elsewhere {
					c.elsewhere, c.loser = y.times.Center, y.structure
				}
			}
		}
	}
	return append(list, c)
}

// sumUp says on how many questions all machines agree.
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
			show.Times(worst.elsewhere), section.Literal(worst.loser), section.Literal(worst.question))
	}
	return out
}

// machinesTable has a line for each question.
func machinesTable(what string, letters []string, list []compared) string {
	if len(list) == 0 {
		return ""
	}
	t := show.Table{Align: "l", Header: []string{what}}
	for _, letter := range letters {
		t.Header = append(t.Header, "Winner on "+letter)
	}
	t.Header = append(t.Header, "Holds", "Elsewhere", "For all")
	for _, c := range list {
		line := []string{section.Literal(c.question)}
		for _, r := range c.answers {
			text := section.Literal(r[0].structure)
			if r[0].ns > 0 {
				text += fmt.Sprintf(" %s ns", show.Figure(r[0].ns))
			}
			line = append(line, text)
		}
		holds := "none"
		switch {
		case c.certain:
			holds = section.Literal(c.holds)
		case c.holds != "":
			holds = section.Literal(c.holds) + "?"
		}
		elsewhere := show.Unknown
		if c.elsewhere > 1 {
			elsewhere = fmt.Sprintf("%s %s ×", section.Literal(c.loser), show.Times(c.elsewhere))
		}
		steady := show.Unknown
		if c.steady.structure != "" {
			steady = fmt.Sprintf("%s %s ×", section.Literal(c.steady.structure), show.Times(c.steady.times.Center))
		}
		t.Add(append(line, holds, elsewhere, steady)...)
	}
	return t.Markdown()
}
