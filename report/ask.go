package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/report/advice"
)

// ask is the answer at the top of a page, and the controls of its question.
type ask struct {
	Controls []choice
	First    advice.Answer // to what the controls show
}

// choice is a control: one of several.
type choice struct {
	ID, Question string
	Choices      []string
	Start        int // the choice that is shown first
}

// preset is the question of a workload that was recorded or described in a file: where the controls are nearest to it,
// and its own answers.
type preset struct {
	name    string
	at      []int
	answers []advice.Answer
}

// ask returns the controls, and the answer to what they show: the first of the typical questions, or what is nearest
// to it.
func (v *view) ask(grid *advice.Grid, presets []preset, typical []advice.Answer) *ask {
	first := typical[0]
	start := nearest(grid, first.Question)
	if x := grid.At(start[0], start[1], start[2], start[3], start[4]); len(presets) == 0 && x.Sentence != "" {
		first = x
	}
	out := &ask{First: first}
	add := func(id, question string, choices []string) {
		out.Controls = append(out.Controls, choice{id, question, choices, start[len(out.Controls)]})
	}
	add("timers", "How many timers?", texts(grid.N, func(n int) string { return commas(n) }))
	add("cancelled", "How many are cancelled?", texts(grid.Cancel, func(share float64) string { return percent(share) }))
	add("delays", "How are the delays spread?", texts(grid.Delays, func(s string) string { return cmp.Or(s, "any way") }))
	add("matters", "What matters?", texts(grid.Matters, func(m advice.Matter) string { return m.Name }))
	add("late", "May timers fire late?", []string{"yes", "no"})
	if len(presets) > 0 {
		choices := []string{"any"}
		for _, p := range presets {
			choices = append(choices, p.name)
		}
		out.Controls = append(out.Controls, choice{"workload", "Which program?", choices, 1})
	}
	return out
}

func texts[T any](of []T, text func(T) string) []string {
	var out []string
	for _, v := range of {
		out = append(out, text(v))
	}
	return out
}

// commas writes a whole number as the sentences of answers do.
func commas(n int) string {
	if n >= 1e6 {
		return trim3(float64(n)/1e6) + " million"
	}
	if n >= 1000 {
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return fmt.Sprint(n)
}

// nearest returns the places of the controls that are nearest to a question.
func nearest(g *advice.Grid, q advice.Question) []int {
	least := func(n int, distance func(i int) float64) int {
		best := 0
		for i := range n {
			if distance(i) < distance(best) {
				best = i
			}
		}
		return best
	}
	matters := slices.IndexFunc(g.Matters, func(m advice.Matter) bool { return m.Weights == q.Matters })
	exact := slices.Index(g.Exact, q.ExactOnly)
	return []int{
		least(len(g.N), func(i int) float64 { return math.Abs(math.Log(float64(g.N[i]) / max(1, q.N))) }),
		least(len(g.Cancel), func(i int) float64 { return math.Abs(g.Cancel[i] - q.Cancel) }),
		max(0, slices.Index(g.Delays, q.Delays)), // the first is any
		max(0, matters),
		max(0, exact),
	}
}

// presets returns those of the recorded workloads of a run.
func presets(a *advice.Adviser, g *advice.Grid) []preset {
	var out []preset
	names, questions := a.Recorded()
	for i, q := range questions {
		p := preset{name: names[i], at: nearest(g, q)}
		for _, m := range g.Matters {
			for _, exact := range g.Exact {
				q.Matters, q.ExactOnly = m.Weights, exact
				x, err := a.Answer(q)
				if err != nil {
					x = advice.Answer{Question: q}
				}
				p.answers = append(p.answers, x)
			}
		}
		out = append(out, p)
	}
	return out
}

// answers adds the answers to a page, before all else.
func (v *view) answers(p *page) {
	a := advice.New(v.r)
	p.data = v.data()
	typical := a.Typical()
	if len(typical) == 0 {
		return
	}
	grid := a.Grid()
	presets := presets(a, grid)
	p.ask = v.ask(grid, presets, typical)
	p.data.answer(grid, presets)
	var b strings.Builder
	for _, x := range typical {
		b.WriteString("- " + literal(withNotes(x.Sentence, x)) + "\n")
	}
	p.add(block{text: b.String(), markdownOnly: true})
	p.text(a.Verdict(func(name string) string { return "**" + literal(name) + "**" }))
	p.add(block{text: standardTable(a), summary: "The answers to the standard questions", wide: true, open: true})
}

// standardTable answers the standard questions.
func standardTable(a *advice.Adviser) string {
	var rows [][]string
	for _, x := range a.Standard() {
		question := x.Words()
		rows = append(rows, []string{literal(question), literal(withNotes(strings.TrimPrefix(x.Sentence, "For "+question+": "), x))})
	}
	return markdownTable("ll", []string{"For", "Answer"}, rows)
}

// withNotes adds to a sentence what to beware of.
func withNotes(sentence string, x advice.Answer) string {
	return strings.Join(append([]string{sentence}, notesOf(x)...), " ")
}

// notesOf are what to beware of in an answer.
func notesOf(x advice.Answer) []string {
	if x.Far == "" {
		return x.Missing
	}
	return append([]string{x.Far}, x.Missing...)
}
