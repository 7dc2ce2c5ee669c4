package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/report/internal/section"
)

var (
	//go:embed page.html
	pageSource string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// pageTemplate writes a page. Each page has IDs of its own.
var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"id": section.IDs(), "markdown": fromMarkdown, "inline": inline,
}).Parse(pageSource))

// converter turns Markdown into HTML that is well-formed XML too. It leaves out
// tags in the Markdown: only this package makes tags.
var converter = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(alignByClass{}, 1000))),
	goldmark.WithRendererOptions(html.WithXHTML()),
)

func fromMarkdown(s string) (template.HTML, error) {
	var b bytes.Buffer
	err := converter.Convert([]byte(s), &b)
	return template.HTML(b.String()), err
}

// alignByClass gives cells that are aligned to the left a class, since the policy of the page
// forbids styles in tags. The style sheet aligns the others, which are nearly all, to the right.
type alignByClass struct{}

func (alignByClass) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if cell, ok := n.(*tables.TableCell); ok && entering {
			if cell.Alignment == tables.AlignLeft {
				cell.SetAttributeString("class", []byte("l"))
			}
			cell.Alignment = tables.AlignNone
		}
		return ast.WalkContinue, nil
	})
}

type htmlPage struct {
	*page
	Sections             []htmlSection
	Policy               string
	Style                template.CSS
	Script               template.JS   // empty: the page has none
	Data                 template.HTML // for it, compressed
	Before, First, After string        // the first answer, cut at the name of the structure; empty: none
	Far                  string        // of the first answer
}

type htmlSection struct {
	section.Section
	ID    string
	Files []download
}

// ownIDs are those that the page has itself, whatever its titles are.
var ownIDs = []string{
	"answer", "ask", "rate", "sentence", "import", "notes", "worth", "ranking", "evidence", "explore", "pins", "said", "hint", "data",
}

// html writes the page as one file that needs no other. The charts in it are SVGs,
// so that readers can search and copy their texts.
func (p *page) html() ([]byte, error) {
	out := htmlPage{page: p, Style: template.CSS(pageStyle + draw.Style())}
	if p.first != nil {
		out.First = p.first.Ranking[0].Structure
		out.Before, out.After, _ = strings.Cut(p.first.Sentence, ": "+out.First)
		out.Far = p.first.Far
	}
	if p.run != nil {
		data, _, err := pack(func(w io.Writer) error { return json.NewEncoder(w).Encode(p.data()) })
		if err != nil {
			return nil, err
		}
		// XML would read the script as markup otherwise.
		out.Script, out.Data = template.JS("//<![CDATA[\n"+pageScript+"//]]>"), template.HTML(data)
	}
	out.Policy = policy(string(out.Style), string(out.Script))
	id := section.IDs()
	for _, own := range ownIDs {
		id(own)
	}
	for _, s := range p.Sections {
		out.Sections = append(out.Sections, htmlSection{Section: s, ID: id(s.Title)})
	}
	if p.Takeable() {
		files, err := downloads(p.run.Run)
		if err != nil {
			return nil, err
		}
		out.Sections = append(out.Sections, htmlSection{ID: id(p.TakeTitle()), Files: files, Section: section.Section{
			Title: p.TakeTitle(), Lead: "Everything that this page is made from, and trials for other " +
				"programs; `timerbench export` writes those by kind of operation and latencies, too. " +
				"`gunzip` unpacks the files; `timerbench report` and `timerbench recommend` read the first " +
				"one as it is.",
		}})
	}
	t, err := pageTemplate.Clone()
	var b bytes.Buffer
	if err == nil {
		err = t.Funcs(template.FuncMap{"id": id}).Execute(&b, out)
	}
	if err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// policy is the content security policy of a page: nothing is loaded, and nothing runs or styles but
// what has these digests.
func policy(style, script string) string {
	out := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + digest(style)
	if script != "" {
		out += "; script-src " + digest(script)
	}
	return out
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// inline returns an SVG without what the style sheet of the page or the default of browsers makes
// superfluous: a tenth of its bytes.
func inline(svg []byte) template.HTML { return template.HTML(superfluous.Replace(string(svg))) }

var superfluous = strings.NewReplacer(
	` lengthAdjust="spacingAndGlyphs"`, "",
	`class="ink" fill="#1a1a1a"`, `class="ink"`,
	`class="faded" fill="#555555"`, `class="faded"`,
)
