package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

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

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

// converter turns Markdown into HTML that is well-formed XML too. It leaves out
// tags in the Markdown: only this package makes tags.
var converter = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignStyle))),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(rightByDefault{}, 1000))),
	goldmark.WithRendererOptions(html.WithXHTML()),
)

// rightByDefault drops the alignment of cells that are aligned to the right: the
// style sheet aligns them so. Nearly all cells are, and an attribute in each would
// make the page a fifth larger.
type rightByDefault struct{}

func (rightByDefault) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if cell, ok := n.(*tables.TableCell); ok && cell.Alignment == tables.AlignRight {
			cell.Alignment = tables.AlignNone
		}
		return ast.WalkContinue, nil
	})
}

// The data of the template: chapters and blocks of a page, with the IDs that links
// refer to.
type (
	htmlPage struct {
		Title    string
		Chapters []htmlChapter
	}
	htmlChapter struct {
		Title, ID string
		Blocks    []htmlBlock
	}
	htmlBlock struct {
		ID      string
		Alt     string        // of a chart
		Chart   template.HTML // nil: a text
		Summary string
		Wide    bool
		Text    template.HTML
	}
)

// html writes the page as one file that needs no other. The charts in it are SVGs,
// so that readers can search and copy their texts.
func (p *page) html(svg map[*draw.Figure][]byte) ([]byte, error) {
	out := htmlPage{Title: p.title}
	id := ids()
	for _, chapter := range p.chapters {
		c := htmlChapter{Title: chapter.title, ID: id(chapter.title)}
		for _, block := range chapter.blocks {
			b := htmlBlock{Summary: block.summary, Wide: block.wide}
			switch f := block.chart; {
			case f != nil:
				b.ID, b.Alt, b.Chart = id(f.Name), f.Alt(), inline(svg[f])
			case block.summary != "":
				b.ID = id(block.summary)
			}
			var text bytes.Buffer
			if err := converter.Convert([]byte(block.text), &text); err != nil {
				return nil, fmt.Errorf("report: %w", err)
			}
			b.Text = template.HTML(text.String())
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

// inline returns an SVG without the XML declaration.
func inline(svg []byte) template.HTML {
	return template.HTML(svg[max(0, bytes.Index(svg, []byte("<svg"))):])
}
