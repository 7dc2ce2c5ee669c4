package report

import (
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
	if x.Far != "" {
		sentence += " " + x.Far
	}
	return strings.Join(append([]string{sentence}, x.Missing...), " ")
}
