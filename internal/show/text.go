package show

import (
	"fmt"
	"html"
	"strings"
)

// Text is running text and tables, one block after the other. It is written by [Text.Markdown],
// [Text.HTML] or [Text.String].
type Text []Block

// Block is a part of a text: a paragraph, a list, a listing or a table.
type Block struct {
	Kind     Kind
	Spans    []Span   // of a paragraph, a quote or a heading
	Items    [][]Span // of a list
	Listing  string
	Language string // of the listing
	Table    *Table
}

// Kind is the kind of a block.
type Kind int

// The kinds of blocks.
const (
	Paragraph Kind = iota
	Quote          // a warning
	List
	Listing // of a program
	Values  // a table
)

// Span is a part of a line in one face.
type Span struct {
	Text string
	Face Face
}

// Strong returns a part of a line in bold.
func Strong(s string) Span { return Span{s, Bold} }

// Em returns a part of a line in italics.
func Em(s string) Span { return Span{s, Italic} }

// Mono returns a part of a line in the face of programs.
func Mono(s string) Span { return Span{s, Code} }

// Line makes a line of its parts: strings, and what Strong, Em and Mono return. It panics on any other type.
func Line(parts ...any) []Span {
	var out []Span
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			out = append(out, Span{Text: p})
		case Span:
			out = append(out, p)
		case []Span:
			out = append(out, p...)
		default:
			panic(fmt.Sprintf("show: a part of a line of type %T", p))
		}
	}
	return out
}

// Para is a paragraph of the parts of a [Line]. Without any it is no text.
func Para(parts ...any) Text {
	for _, s := range Line(parts...) {
		if s.Text != "" {
			return Text{{Spans: Line(parts...)}}
		}
	}
	return nil
}

// Warning is a paragraph that stands out.
func Warning(parts ...any) Text { return Text{{Kind: Quote, Spans: Line(parts...)}} }

// Bullets is a list.
func Bullets(items ...[]Span) Text {
	if len(items) == 0 {
		return nil
	}
	return Text{{Kind: List, Items: items}}
}

// Program is a listing.
func Program(language, listing string) Text {
	return Text{{Kind: Listing, Language: language, Listing: strings.TrimSuffix(listing, "\n")}}
}

// Tables makes a text of the tables that have rows.
func Tables(tables ...*Table) Text {
	var out Text
	for _, t := range tables {
		if t != nil && len(t.Rows) > 0 {
			out = append(out, Block{Kind: Values, Table: t})
		}
	}
	return out
}

// String returns the text of the paragraphs and lists, for a terminal.
func (t Text) String() string {
	var out []string
	for _, b := range t {
		plain := func(_ Face, s string) string { return Safe(s) }
		var items []string
		for _, item := range b.Items {
			items = append(items, "- "+joined(item, plain))
		}
		out = append(out, joined(b.Spans, plain)+strings.Join(items, "\n")+b.Listing)
	}
	return strings.Join(out, "\n\n")
}

// Markdown returns the text in Markdown, with a line break behind it. It is empty without blocks.
func (t Text) Markdown() string {
	var out []string
	for _, b := range t {
		switch b.Kind {
		case Paragraph:
			out = append(out, joined(b.Spans, Face.markdown)+"\n")
		case Quote:
			out = append(out, "> "+joined(b.Spans, Face.markdown)+"\n")
		case List:
			list := ""
			for _, item := range b.Items {
				list += "- " + joined(item, Face.markdown) + "\n"
			}
			out = append(out, list)
		case Listing:
			fence := "```"
			for strings.Contains(b.Listing, fence) {
				fence += "`"
			}
			out = append(out, fence+b.Language+"\n"+b.Listing+"\n"+fence+"\n")
		case Values:
			out = append(out, b.Table.Markdown())
		}
	}
	return strings.Join(out, "\n")
}

// HTML returns the text as well-formed HTML.
func (t Text) HTML() string {
	var out strings.Builder
	for _, b := range t {
		switch b.Kind {
		case Paragraph:
			fmt.Fprintf(&out, "<p>%s</p>\n", joined(b.Spans, Face.html))
		case Quote:
			fmt.Fprintf(&out, "<blockquote><p>%s</p></blockquote>\n", joined(b.Spans, Face.html))
		case List:
			out.WriteString("<ul>\n")
			for _, item := range b.Items {
				fmt.Fprintf(&out, "<li>%s</li>\n", joined(item, Face.html))
			}
			out.WriteString("</ul>\n")
		case Listing:
			fmt.Fprintf(&out, "<pre><code>%s\n</code></pre>\n", html.EscapeString(escape(b.Listing, "\n\t")))
		case Values:
			out.WriteString(b.Table.HTML())
		}
	}
	return out.String()
}

func joined(spans []Span, write func(Face, string) string) string {
	out := ""
	for _, s := range spans {
		out += write(s.Face, s.Text)
	}
	return out
}
