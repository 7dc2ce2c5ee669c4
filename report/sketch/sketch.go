// Package sketch lays out the shape of a structure on a grid of characters: boxes for slots and
// nodes, lines between them, and notes. The grid is printed as text or drawn by package draw.
package sketch

import "strings"

// The widths of sketches: for a page and a terminal, and for a narrow screen.
const (
	Columns = 80
	Narrow  = 54
)

// Sketch is a picture on a grid. Rows count from the top.
type Sketch struct {
	Columns int
	Rows    int
	Boxes   []Box
	Lines   []Line
	Notes   []Note
}

// Mark is the effect of an operation on an entry.
type Mark int

// The marks.
const (
	Same  Mark = iota // nothing
	Added             // a new timer
	Moved             // it stands elsewhere, has another parent or another deadline
	Left              // its timer has left it: it is stale from now on
	Stale             // it was stale before
)

// Sign returns the first character of a label with the mark, so the mark is visible without color.
func (m Mark) Sign() string { return [...]string{"", "+", ">", "x", "("}[m] }

// Label is the text of an entry.
type Label struct {
	Text string // with its sign
	Mark Mark
}

// Box is a slot, which has a frame and a line for each entry, or a node, which is one line without a
// frame.
type Box struct {
	X, Y, Width int
	Title, Foot string // in the upper and the lower edge of a frame
	Labels      []Label
	Framed      bool
	Red         bool // a red node of a red-black tree
}

// Height returns the number of rows of the box.
func (b Box) Height() int {
	if b.Framed {
		return len(b.Labels) + 2
	}
	return 1
}

// Line leads from a node down to one below it, or along a row.
type Line struct{ X0, Y0, X1, Y1 int }

// Note is a text outside the boxes.
type Note struct {
	X, Y  int
	Text  string
	Style Style
}

// Style is the style of a note.
type Style int

// The styles.
const (
	Plain Style = iota
	Heading
	Faded
)

// Add puts another sketch below.
func (s *Sketch) Add(below Sketch) {
	for _, b := range below.Boxes {
		b.Y += s.Rows
		s.Boxes = append(s.Boxes, b)
	}
	for _, l := range below.Lines {
		l.Y0 += s.Rows
		l.Y1 += s.Rows
		s.Lines = append(s.Lines, l)
	}
	for _, n := range below.Notes {
		n.Y += s.Rows
		s.Notes = append(s.Notes, n)
	}
	s.Rows += below.Rows
}

// Note adds a text below, broken into lines.
func (s *Sketch) Note(style Style, text string) {
	words := strings.Fields(text)
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	line := indent
	for i, word := range words {
		if i > 0 && len(line)+1+len(word) > s.Columns {
			s.line(style, line)
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	s.line(style, line)
}

func (s *Sketch) line(style Style, text string) {
	s.Notes = append(s.Notes, Note{Y: s.Rows, Text: text, Style: style})
	s.Rows++
}
