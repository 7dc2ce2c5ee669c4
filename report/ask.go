package report

import (
	"slices"
	"strings"

	"github.com/timerbench/timerbench/report/advice"
)

// answers adds the answers to a page, before all else.
func (v *view) answers(p *page) {
	a := advice.New(v.r)
	p.data = func() (*pageData, error) { return v.data(a) }
	typical := a.Typical()
	if len(typical) == 0 {
		return
	}
	p.first = &typical[0]
	var b strings.Builder
	for _, x := range typical {
		b.WriteString("- " + literal(x.Sentence+far(x)) + "\n")
	}
	p.add(block{text: b.String(), markdownOnly: true})
	p.text(a.Verdict(func(name string) string { return "**" + literal(name) + "**" }))
	p.add(block{text: standardTable(a), summary: "The answers to the standard questions", wide: true, open: true})
	p.text(literal(strings.Join(notes(slices.Concat(typical, a.Standard())), " ")))
}

// standardTable answers the standard questions.
func standardTable(a *advice.Adviser) string {
	var rows [][]string
	for _, x := range a.Standard() {
		question := x.Words()
		rows = append(rows, []string{literal(question), literal(strings.TrimPrefix(x.Sentence, "For "+question+": ") + far(x))})
	}
	return markdownTable("ll", []string{"For", "Answer"}, rows)
}

// far says that an answer rests on what is far from its question, where it does.
func far(x advice.Answer) string {
	if x.Far == "" {
		return ""
	}
	return " " + x.Far
}

// notes are what the results do not hold of what answers ask for, each once.
func notes(answers []advice.Answer) []string {
	var out []string
	for _, x := range answers {
		for _, note := range x.Missing {
			if !slices.Contains(out, note) {
				out = append(out, note)
			}
		}
	}
	return out
}
