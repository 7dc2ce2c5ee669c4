package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
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
)

var (
	//go:embed page.html
	pageSource string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

// converter turns Markdown into HTML that is well-formed XML too. It leaves out
// tags in the Markdown: only this package makes tags.
var converter = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(alignByClass{}, 1000))),
	goldmark.WithRendererOptions(html.WithXHTML()),
)

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

// The data of the template: chapters and blocks of a page, with the IDs that links
// refer to.
type (
	htmlPage struct {
		Title                string
		Made                 template.HTML
		Policy               string
		Style                template.CSS
		Script, Data         template.JS // empty: the page has no script
		Before, First, After string      // the first answer, cut at the name of the structure; empty: there is none
		Far                  string      // of the first answer
		Chapters             []htmlChapter
	}
	htmlChapter struct {
		Title, ID string
		Screen    bool
		Blocks    []htmlBlock
	}
	htmlBlock struct {
		ID      string
		Alt     string        // of a chart
		Chart   template.HTML // empty: a text
		Narrow  template.HTML // the chart for narrow screens
		Summary string
		Wide    bool
		Open    bool
		Screen  bool
		Text    template.HTML
		Files   []download
	}
)

// html writes the page as one file that needs no other. The charts in it are SVGs,
// so that readers can search and copy their texts.
func (p *page) html() ([]byte, error) {
	out := htmlPage{Title: p.title, Style: template.CSS(pageStyle + draw.Style())}
	if p.first != nil {
		out.First = p.first.Ranking[0].Structure
		out.Before, out.After, _ = strings.Cut(p.first.Sentence, ": "+out.First)
		out.Far = p.first.Far
	}
	var made bytes.Buffer
	if err := converter.Convert([]byte(p.made), &made); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	out.Made = template.HTML(made.String())
	if p.data != nil {
		data, err := p.data()
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(data)
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		// XML would read the script as markup otherwise.
		out.Script, out.Data = template.JS("//<![CDATA[\n"+pageScript+"//]]>"), template.JS(text)
	}
	out.Policy = policy(string(out.Style), string(out.Script))
	id := ids()
	for _, own := range ownIDs {
		id(own)
	}
	for _, chapter := range p.chapters {
		c := htmlChapter{Title: chapter.title, Screen: chapter.screen}
		if chapter.title != "" {
			c.ID = id(chapter.title)
		}
		for _, block := range chapter.blocks {
			if block.markdownOnly {
				continue
			}
			b := htmlBlock{Summary: block.summary, Wide: block.wide, Open: block.open, Screen: block.screen}
			switch f := block.chart; {
			case f != nil:
				b.ID, b.Alt, b.Chart, b.Narrow = id(f.Name), f.Alt(), inline(f.SVG()), inline(f.NarrowSVG())
			case block.summary != "":
				b.ID = id(block.summary)
			}
			var text bytes.Buffer
			if err := converter.Convert([]byte(block.text), &text); err != nil {
				return nil, fmt.Errorf("report: %w", err)
			}
			b.Text = template.HTML(text.String())
			if block.downloads != nil {
				var err error
				if b.Files, err = block.downloads(); err != nil {
					return nil, err
				}
			}
			c.Blocks = append(c.Blocks, b)
		}
		out.Chapters = append(out.Chapters, c)
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, out); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return b.Bytes(), nil
}

// ownIDs are those that the page has itself, whatever its titles are.
var ownIDs = []string{"answer", "ask", "sentence", "import", "notes", "ranking", "evidence", "explore", "pins", "said", "hint", "data"}

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

// inline returns an SVG without the XML declaration, and without what the style sheet of the page or
// the default of browsers makes superfluous: a tenth of its bytes.
func inline(svg []byte) template.HTML {
	return template.HTML(superfluous.Replace(string(svg[max(0, bytes.Index(svg, []byte("<svg"))):])))
}

var superfluous = strings.NewReplacer(
	` lengthAdjust="spacingAndGlyphs"`, "",
	`class="ink" fill="#1a1a1a"`, `class="ink"`,
	`class="faded" fill="#555555"`, `class="faded"`,
)
