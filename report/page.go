package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"text/template"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/structures/entry"
)

// page is the content of a report, to be written as Markdown or as HTML.
type page struct {
	Title    string
	Made     show.Text         // when and on what machine; empty: not known
	Front    section.Section   // above the sections
	Sections []section.Section // without the empty ones

	First      *answer.Answer // nil: the page answers nothing
	Verdict    show.Text      // of all kept runs
	Cost       *draw.Figure   // nil: no workload has two sizes
	Exceptions show.Text
	err        error           // of the kept runs
	view       *section.View   // results for the script; nil: none
	adviser    *answer.Adviser // answers for the script
}

// newPage returns the page of a run. The verdict of the kept runs is on these structures.
func newPage(v *section.View, sections []section.Section, structures []entry.Entry) *page {
	p := &page{
		Title: "Timer structures compared", Made: made(v), view: v, adviser: v.Adviser(),
		Sections: slices.DeleteFunc(slices.Clone(sections), section.Section.Empty),
	}
	p.answers(structures)
	if p.First != nil {
		p.Cost = v.CostChart()
	}
	p.warn(sections)
	return p
}

func (p *page) add(text show.Text) {
	if len(text) > 0 {
		p.Front.Tables = append(p.Front.Tables, section.Table{Lead: text, Main: true})
	}
}

func (p *page) answers(structures []entry.Entry) {
	typical := p.adviser.Typical()
	if len(typical) == 0 {
		return
	}
	p.First = &typical[0]
	v, err := answer.Kept(structures)
	p.Verdict, p.err = show.Para(v.Line(), " ", v.Summary()), err
	exceptions := &show.Table{Align: "lll", Header: []string{"Exception", "Take", "Because"}}
	const most = 4
	for _, e := range v.Exceptions[:min(most, len(v.Exceptions))] {
		gain := e.Gain()
		if e.Machines < len(v.Machines) {
			gain += " on " + show.Count(e.Machines, "machine")
		}
		exceptions.Add(e.When(), show.Name(e.Name), gain)
	}
	because := "no lookup"
	if ratio := p.First.Intrusive; len(ratio) > 0 {
		because += fmt.Sprintf(": %s times the time of %s", show.Times(ratio[0].Times.Center), p.First.Name)
	}
	exceptions.Add("timers inside your structs", "intrusive", because)
	p.Exceptions = show.Tables(exceptions)
	machines := &show.Table{Align: "lrrl", Header: []string{"Machine", "On average", "At worst", "In"}}
	for _, o := range v.Machines {
		machines.Add(o.Machine, show.Number(o.Mean, show.Times(o.Mean)), show.Number(o.Worst.Center, show.Times(o.Worst.Center)), o.In)
	}
	questions := &show.Table{Align: "ll", Header: []string{"For", "Answer"}}
	var notes []string // missing data, each once
	all := p.adviser.Standard()
	if all == nil || typical[0].Words() != all[0].Words() { // the questions of recorded programs
		all = slices.Concat(typical, all)
	}
	for _, x := range all {
		questions.Add(x.Words(), show.Joined(" ", strings.TrimPrefix(x.Sentence(), "For "+x.Words()+": "), x.Far))
		for _, note := range x.Missing {
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	p.Sections = slices.Insert(p.Sections, 0,
		section.Section{Title: "What are the answers to common questions?", Tables: []section.Table{{Body: show.Tables(questions), Main: true}}},
		section.Section{
			Title: "What does " + answer.Default + " cost on each machine?",
			Lead: show.Para("The time of " + answer.Default + " as a multiple of the fastest exact structure's, over all workloads and sizes of " +
				"the runs in docs/results. An exception is more than a tie on each machine that measured it, and certain on half of them."),
			Tables: []section.Table{{Body: show.Tables(machines), Main: true}},
		})
	p.add(show.Para(strings.Join(notes, " ")))
}

// made returns the date and the machine of the results, with the warnings about the machine. A reader
// needs them next to the first figure.
func made(v *section.View) show.Text {
	e, cores, build := v.Environment, "", v.Environment.Build()
	if e.Cores > 0 {
		cores = show.Count(e.Cores, "core")
	}
	if build != "" {
		build = "timerbench " + build
	}
	out := show.Joined(", ", e.CPU, strings.Trim(e.OS+"/"+e.Arch, "/"), e.Go, cores, build)
	if !v.Created.IsZero() {
		out = show.Joined(": ", "Measured on "+v.Created.UTC().Format("2 January 2006"), out)
	}
	if out != "" {
		out += ". "
	}
	machine := v.MachineLead()
	machine[0].Spans = show.Line(out, machine[0].Spans)
	return machine
}

// namedStructures is the most structures that a warning names (chosen).
const namedStructures = 5

// warn adds the warnings that come before everything else: what makes the figures doubtful, and what the results lack.
func (p *page) warn(sections []section.Section) {
	v := p.view
	var measured, absent []string
	for _, who := range v.Measured(v.Cells...) {
		if who.IsStructure() {
			measured = append(measured, who.Name)
		}
	}
	for _, s := range sections {
		if s.Empty() && s.Absent != "" {
			absent = append(absent, s.Absent)
		}
	}
	unbounded := slices.ContainsFunc(v.Cells, func(c *stats.Costs) bool {
		return slices.ContainsFunc(c.Rows, func(row *results.Row) bool { return c.Cost(row).OK() && !c.Cost(row).Bounded() })
	})
	recorded := !slices.ContainsFunc(v.Cells, func(c *stats.Costs) bool { return workload.Category(c.Category) != workload.Recorded })
	some := fmt.Sprintf("%d of %d", len(measured), len(v.Known.Entries))
	if len(measured) <= namedStructures {
		some += ": " + show.And(measured)
	}
	warn := func(is bool, strong, format string, args ...any) {
		if is {
			p.add(show.Warning(show.Strong(strong), " "+fmt.Sprintf(format, args...)))
		}
	}
	warn(!v.Complete, "This run was interrupted.", "Everything here was measured and proved in full. The rest is missing.")
	for _, f := range v.Failures {
		warn(true, f.Structure+" broke its contract", "on %s and has no figures there: %s.", f.Where, f.Reason)
	}
	c := v.Checked()
	warn(c.Fails(), "The intervals are too narrow.", "Of %d comparisons of a structure with a second instance of itself, %d differ, which is more than chance "+
		"explains. These figures contain other work of the machine.", c.Controls, c.Differ)
	warn(unbounded, "Too few rounds for intervals.", "A 95 %% interval needs at least two rounds. Without intervals this page names no tie, and proves no "+
		"difference unless it is large.")
	if len(measured) == 0 && v.Live == nil {
		p.add(show.Warning(show.Strong("No costs."), " No workload has a measured cost in these results, so no structure "+
			"can be named. ", show.Mono("timerbench run"), " measures them."))
	}
	warn(len(measured) == 1, "One structure.", "Only %s was measured, so there is no comparison.", strings.Join(measured, ""))
	warn(len(measured) > 1 && len(measured) < len(v.Known.Entries), "Some structures only.",
		"The run measured %s. A missing structure may be better than all of these.", some)
	warn(len(measured) > 0 && recorded, "Traces only.", "The answers hold for the recorded programs. Other numbers of timers, delays and shares of cancels were "+
		"not measured.")
	warn(len(v.Unknown) > 0, "Left out,", "because this version does not have them: %s, %s.", show.Count(len(v.Unknown), "structure"), show.And(v.Unknown))
	warn(len(absent) > 0, "Left out,", "because the results hold no data: %s.", strings.Join(absent, ", "))
}

//go:embed page.md
var markdownSource string

// markdownTemplate writes a page as Markdown. It shows charts as PNGs, which look the
// same everywhere, and links the SVGs.
var markdownTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"literal": func(s string) string { return strings.TrimSpace(show.Para(s).Markdown()) },
	"oneline": show.Safe, "charts": func() string { return Charts },
}).Parse(markdownSource))

func (p *page) markdown() ([]byte, error) {
	var b bytes.Buffer
	err := markdownTemplate.Execute(&b, p)
	return b.Bytes(), err
}

type pageData struct {
	Structures []dataStructure   `json:"structures"`
	Answers    *answer.Answers   `json:"answers"`
	Later      map[string]string `json:"later"` // HTML by ID of the element that it fills once that is shown
}

type dataStructure struct {
	Name       string `json:"name"`
	Family     string `json:"family"`
	Color      string `json:"color"` // of its family's hue
	ThirdParty bool   `json:"shelf,omitempty"`
	Import     string `json:"import,omitempty"` // path
	Late       string `json:"late,omitempty"`   // how late it fires
}

func (p *page) data(later map[string]string) pageData {
	d := pageData{Structures: []dataStructure{}, Answers: p.adviser.Grid(), Later: later}
	for _, who := range p.view.Present(answer.RowName.IsStructure) {
		c := color.NRGBAModel.Convert(p.view.Styles[who.Name].Color).(color.NRGBA)
		s := dataStructure{Name: who.Name, Family: "others", Color: fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)}
		if e, ok := p.view.Entry(who.Name); ok {
			s.Family, s.ThirdParty, s.Import, s.Late = string(e.Family), e.ThirdParty != "", e.Package, e.Late
		}
		d.Structures = append(d.Structures, s)
	}
	return d
}
