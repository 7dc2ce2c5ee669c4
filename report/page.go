package report

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
	texttemplate "text/template"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
	"github.com/timerbench/timerbench/report/section"
)

// page is the content of a report, to be written as Markdown or as HTML.
type page struct {
	Title    string
	Made     show.Text         // when and on what machine; empty: not known
	Front    section.Section   // above the sections
	Sections []section.Section // without the empty ones

	First   *answer.Answer // nil: the page answers nothing
	Verdict show.Text      // of all kept runs
	Map     *draw.Figure   // nil: these results have none
	err     error          // of the verdict
	view    *section.View
	adviser *answer.Adviser // answers for the script
}

// newPage returns the page of a run. It asks for the verdict of the kept runs if it answers anything.
func newPage(v *section.View, sections []section.Section, verdict func() (answer.Verdict, error)) *page {
	p := &page{
		Title: "Timer structures compared", Made: made(v), view: v, adviser: v.Adviser(),
		Sections: slices.DeleteFunc(slices.Clone(sections), section.Section.Empty),
	}
	p.answers(verdict)
	p.Map = v.Map()
	p.warn(sections)
	return p
}

func (p *page) add(text show.Text) {
	if len(text) > 0 {
		p.Front.Tables = append(p.Front.Tables, section.Table{Lead: text, Main: true})
	}
}

func (p *page) answers(verdict func() (answer.Verdict, error)) {
	questions := p.adviser.First()
	if len(questions) == 0 {
		return
	}
	first, err := p.adviser.Answer(questions[0])
	if err != nil {
		return
	}
	p.First = &first
	v, err := verdict()
	p.Verdict, p.err = v.Text(), err
	p.add(show.Para(strings.Join(first.Notes, " ")))
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
		return slices.ContainsFunc(c.Tied(), func(row *results.Row) bool { return c.Cost(row).Few })
	})
	recorded := !slices.ContainsFunc(v.Cells, func(c *stats.Costs) bool { return workload.Category(c.Category) != workload.Recorded })
	some := fmt.Sprintf("%d of %d", len(measured), len(v.Known.Entries))
	if len(measured) <= 5 { // chosen
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
	warn(unbounded, "Too few rounds for intervals.", "A 95 %% interval needs at least six rounds. With fewer, the range of the rounds stands instead.")
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

// markdownTemplate writes a page as Markdown.
var markdownTemplate = texttemplate.Must(texttemplate.New("page").Funcs(texttemplate.FuncMap{
	"literal": func(s string) string { return strings.TrimSpace(show.Para(s).Markdown()) },
	"oneline": show.Safe, "charts": func() string { return Charts },
}).Parse(markdownSource))

func (p *page) markdown() ([]byte, error) {
	var b bytes.Buffer
	err := markdownTemplate.Execute(&b, p)
	return b.Bytes(), err
}

// pageData is the block of data of the script.
type pageData struct {
	Form  *answer.Form      `json:"form"`
	Later map[string]string `json:"later"` // HTML by ID of the element that it fills once that is shown
}

var (
	//go:embed page.html
	pageSource string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

type htmlPage struct {
	*page
	Policy string
	Style  template.CSS
	Script template.JS
}

// ownID finds the IDs of the template, which no title may take.
var ownID = regexp.MustCompile(`id="([a-z]+)"`)

// html writes the page as one self-contained file. Its charts are SVGs, so readers can search and
// copy their texts.
func (p *page) html() ([]byte, error) {
	if p.err != nil {
		return nil, p.err
	}
	out := htmlPage{page: p, Style: template.CSS(pageStyle + draw.CSS())}
	out.Script = template.JS("//<![CDATA[\n" + pageScript + "//]]>") // XML would read the script as markup otherwise
	out.Policy = policy(string(out.Style), string(out.Script))
	id := section.IDs()
	for _, own := range ownID.FindAllStringSubmatch(pageSource, -1) {
		id(own[1])
	}
	t, laterParts := template.New("page"), make(map[string]string)
	t.Funcs(template.FuncMap{
		"id": id, "inline": func(svg []byte) template.HTML { return template.HTML(superfluous.Replace(string(svg))) }, "text": func(t show.Text) template.HTML { return template.HTML(t.HTML()) },
		// later leaves a part of the page to the script, which fills the element of that ID with it.
		"later": func(name string, of any, id string) (template.HTML, error) {
			var b bytes.Buffer
			err := t.ExecuteTemplate(&b, name, of)
			laterParts[id] = b.String()
			return "", err
		},
		"data": func() (template.HTML, error) { return pack(pageData{p.adviser.Form(), laterParts}) },
	})
	var b bytes.Buffer
	err := template.Must(t.Parse(pageSource)).Execute(&b, out)
	return b.Bytes(), err
}

// pack returns JSON, compressed and as base64.
func pack(data any) (template.HTML, error) {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	e := json.NewEncoder(z)
	e.SetEscapeHTML(false)
	err = errors.Join(e.Encode(data), z.Close())
	return template.HTML(base64.StdEncoding.EncodeToString(packed.Bytes())), err
}

// policy is the content security policy of a page. The page loads nothing, and only the script and the
// style sheet with these digests apply.
func policy(style, script string) string {
	return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + digest(style) + "; script-src " + digest(script)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// superfluous removes the attributes of an SVG that the style sheet of the page sets anyway, a tenth of its bytes.
var superfluous = strings.NewReplacer(
	` lengthAdjust="spacingAndGlyphs"`, "",
	`class="ink" fill="#1a1a1a"`, `class="ink"`,
	`class="faded" fill="#555555"`, `class="faded"`,
)
