// Package sketch lays out the shape of a structure on a grid of characters: boxes for slots and
// nodes, lines between them, and notes. The grid is text, for a terminal and for a page.
package sketch

import (
	"image"
	"strings"
	"unicode/utf8"

	"github.com/timerbench/timerbench/internal/show"
)

// Columns is the width of a sketch.
const Columns = 80

// Sketch is a picture on a grid. Rows count from the top.
type Sketch struct {
	Rows  int
	Boxes []Box
	Lines []Line
	Notes []Note
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

// sign returns the first character of a label with the mark.
func (m Mark) sign() string { return [...]string{"", "+", ">", "x", "("}[m] }

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
	X, Y int
	Text string
}

// note adds a text below, broken into lines.
func (s *Sketch) note(text string) {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	for _, line := range show.Lines(text, func(line string) bool { return len(indent)+len(line) <= Columns }) {
		s.Notes = append(s.Notes, Note{Y: s.Rows, Text: indent + line})
		s.Rows++
	}
}

// The directions of a line from a field of the grid.
const (
	up = 1 << iota
	down
	left
	right
)

// corner has the character of each set of directions.
var corner = map[int]rune{
	up: '│', down: '│', up | down: '│', left: '─', right: '─', left | right: '─',
	down | right: '┌', down | left: '┐', up | right: '└', up | left: '┘',
	down | left | right: '┬', up | left | right: '┴', up | down | right: '├', up | down | left: '┤',
	up | down | left | right: '┼',
}

// String returns the sketch as text: Rows lines without spaces at their ends.
func (s Sketch) String() string {
	grid := make([][]rune, s.Rows)
	for y := range grid {
		grid[y] = []rune(strings.Repeat(" ", Columns))
	}
	write := func(x, y int, text string) {
		for _, r := range text {
			for x >= len(grid[y]) {
				grid[y] = append(grid[y], ' ')
			}
			grid[y][x] = r
			x++
		}
	}
	for at, directions := range s.connectors() {
		grid[at.Y][at.X] = corner[directions]
	}
	for _, n := range s.Notes {
		write(n.X, n.Y, n.Text)
	}
	for _, b := range s.Boxes {
		if !b.Framed {
			write(b.X, b.Y, b.oneLine())
			continue
		}
		write(b.X, b.Y, "┌"+centred(b.Title, b.Width-2, '─')+"┐")
		for i, l := range b.Labels {
			write(b.X, b.Y+1+i, "│"+centred(l.Text, b.Width-2, ' ')+"│")
		}
		write(b.X, b.Y+b.Height()-1, "└"+centred(b.Foot, b.Width-2, '─')+"┘")
	}
	var out strings.Builder
	for _, row := range grid {
		out.WriteString(strings.TrimRight(string(row), " "))
		out.WriteByte('\n')
	}
	return out.String()
}

func (b Box) oneLine() string {
	texts := make([]string, len(b.Labels))
	for i, l := range b.Labels {
		texts[i] = l.Text
	}
	out := strings.Join(texts, " ")
	if b.Red {
		out += "r"
	}
	return out
}

// connectors returns the fields of the lines, with their directions. A line to a node below runs along
// the row above that node.
func (s Sketch) connectors() map[image.Point]int {
	out := make(map[image.Point]int)
	along := func(from, to, y int) {
		for x := min(from, to); x < max(from, to); x++ {
			out[image.Pt(x, y)] |= right
			out[image.Pt(x+1, y)] |= left
		}
	}
	for _, l := range s.Lines {
		if l.Y0 == l.Y1 {
			along(l.X0, l.X1, l.Y0)
			continue
		}
		y := l.Y1 - 1
		for above := l.Y0 + 1; above < y; above++ {
			out[image.Pt(l.X0, above)] |= up | down
		}
		out[image.Pt(l.X0, y)] |= up
		along(l.X0, l.X1, y)
		out[image.Pt(l.X1, y)] |= down
	}
	return out
}

// centred returns text padded to that many columns, in the middle.
func centred(text string, width int, fill rune) string {
	rest := max(0, width-utf8.RuneCountInString(text))
	return strings.Repeat(string(fill), rest/2) + text + strings.Repeat(string(fill), rest-rest/2)
}
