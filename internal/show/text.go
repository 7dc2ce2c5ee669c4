package show

import (
	"fmt"
	"html"
	"regexp"
	"strings"
)

// Text is running text and tables, one block after the other. It is written by [Text.Markdown],
// [Text.HTML] or [Text.String].
type Text []Block

// Block is a part of a text: a paragraph, or else a list, a listing or a table.
type Block struct {
	Spans    []Span // of a paragraph
	Warning  bool   // the paragraph stands out
	Items    [][]Span
	Listing  string
	Language string // of the listing
	Table    *Table
}

// Span is a part of a line in one face.
type Span struct {
	Text string
	Face Face
}

// Face is the type face of a text.
type Face int

// The faces. All but Plain are lost in a terminal.
const (
	Plain Face = iota
	Bold
	Italic
	Code
)

// Strong returns a part of a line in bold.
func Strong(s string) Span { return Span{s, Bold} }

// Mono returns a part of a line in the face of programs.
func Mono(s string) Span { return Span{s, Code} }

// Line makes a line of its parts: strings, and what Strong and Mono return. It panics on any other type.
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
func Warning(parts ...any) Text { return Text{{Warning: true, Spans: Line(parts...)}} }

// Bullets is a list.
func Bullets(items ...[]Span) Text { return Text{{Items: items}} }

// Program is a listing.
func Program(language, listing string) Text {
	return Text{{Language: language, Listing: strings.TrimSuffix(listing, "\n")}}
}

// Tables makes a text of the tables that have rows.
func Tables(tables ...*Table) Text {
	var out Text
	for _, t := range tables {
		if t != nil && len(t.Rows) > 0 {
			out = append(out, Block{Table: t})
		}
	}
	return out
}

// String returns the text for a terminal, within its [Width].
func (t Text) String() string {
	return t.join("\n\n", func(b Block) string {
		if b.Table != nil {
			return b.Table.Terminal()
		}
		return Wrapped(joined(b.Spans, Span.plain)+strings.TrimSuffix(b.list("- ", Span.plain, "\n"), "\n")) + b.Listing
	})
}

// Markdown returns the text in Markdown, with a line break behind it. It is empty without blocks.
func (t Text) Markdown() string {
	return t.join("\n", func(b Block) string {
		switch {
		case b.Table != nil:
			return b.Table.Markdown()
		case b.Items != nil:
			return b.list("- ", Span.markdown, "\n")
		case b.Listing != "":
			fence := "```"
			for strings.Contains(b.Listing, fence) {
				fence += "`"
			}
			return fence + b.Language + "\n" + b.Listing + "\n" + fence + "\n"
		case b.Warning:
			return "> " + joined(b.Spans, Span.markdown) + "\n"
		}
		return joined(b.Spans, Span.markdown) + "\n"
	})
}

// HTML returns the text as well-formed HTML.
func (t Text) HTML() string {
	return t.join("", func(b Block) string {
		switch {
		case b.Table != nil:
			return b.Table.HTML()
		case b.Items != nil:
			return "<ul>\n" + b.list("<li>", Span.html, "</li>\n") + "</ul>\n"
		case b.Listing != "":
			return "<pre><code>" + html.EscapeString(escape(b.Listing, "\n\t")) + "\n</code></pre>\n"
		case b.Warning:
			return "<blockquote><p>" + joined(b.Spans, Span.html) + "</p></blockquote>\n"
		}
		return "<p>" + joined(b.Spans, Span.html) + "</p>\n"
	})
}

func (t Text) join(separator string, write func(Block) string) string {
	out := make([]string, len(t))
	for i, b := range t {
		out[i] = write(b)
	}
	return strings.Join(out, separator)
}

func (b Block) list(before string, write func(Span) string, after string) string {
	out := ""
	for _, item := range b.Items {
		out += before + joined(item, write) + after
	}
	return out
}

func joined(spans []Span, write func(Span) string) string {
	out := ""
	for _, s := range spans {
		out += write(s)
	}
	return out
}

func (s Span) plain() string { return Safe(s.Text) }

func (s Span) html() string {
	tag := [...]string{Bold: "strong", Italic: "em", Code: "code"}[s.Face]
	if tag == "" || s.Text == "" {
		return escaped(s.Text)
	}
	return "<" + tag + ">" + escaped(s.Text) + "</" + tag + ">"
}

func (s Span) markdown() string {
	mark := [...]string{Bold: "**", Italic: "_", Code: "`"}[s.Face]
	switch {
	case s.Face == Code:
		return mark + Safe(s.Text) + mark
	case s.Text == "":
		return ""
	}
	return mark + special.ReplaceAllString(Safe(s.Text), `\$0`) + mark
}

func escaped(s string) string { return html.EscapeString(Safe(s)) }

// special matches what Markdown takes for more than text within a line.
var special = regexp.MustCompile("[\\\\`*_\\[\\]<>~]|&[#\\w]")
