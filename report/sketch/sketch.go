// Package sketch draws the shape of a structure on a grid of characters, for a terminal and for a page.
package sketch

import (
	"image"
	"strings"
	"unicode/utf8"

	"github.com/timerbench/timerbench/internal/show"
)

// Columns is the width of a sketch, unless a name is longer.
const Columns = 80

// Sketch is a drawing on a grid of characters. It grows downwards.
type Sketch struct {
	grid  [][]rune
	lines map[image.Point]int // the directions of lines by field; a text covers them
}

// write writes a text to the right of a field.
func (s *Sketch) write(x, y int, text string) {
	for len(s.grid) <= y {
		s.grid = append(s.grid, nil)
	}
	for _, r := range text {
		for len(s.grid[y]) <= x {
			s.grid[y] = append(s.grid[y], ' ')
		}
		s.grid[y][x] = r
		x++
	}
}

// note writes a text below, broken into lines.
func (s *Sketch) note(text string) {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	for _, line := range show.Lines(text, func(line string) bool { return len(indent)+len(line) <= Columns }) {
		s.write(0, len(s.grid), indent+line)
	}
}

// frame draws a box with a line for each text, and with texts in its upper and lower edge.
func (s *Sketch) frame(x, y, width int, title string, texts []string, foot string) {
	s.write(x, y, "┌"+centred(title, width-2, '─')+"┐")
	for i, text := range texts {
		s.write(x, y+1+i, "│"+centred(text, width-2, ' ')+"│")
	}
	s.write(x, y+1+len(texts), "└"+centred(foot, width-2, '─')+"┘")
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

// along draws a line along a row.
func (s *Sketch) along(from, to, y int) {
	for x := min(from, to); x < max(from, to); x++ {
		s.turn(x, y, right)
		s.turn(x+1, y, left)
	}
}

// below draws a line from a node to one below it. It runs along the row above that node.
func (s *Sketch) below(x0, y0, x1, y1 int) {
	y := y1 - 1
	for above := y0 + 1; above < y; above++ {
		s.turn(x0, above, up|down)
	}
	s.turn(x0, y, up)
	s.along(x0, x1, y)
	s.turn(x1, y, down)
}

func (s *Sketch) turn(x, y, directions int) {
	if s.lines == nil {
		s.lines = make(map[image.Point]int)
	}
	s.lines[image.Pt(x, y)] |= directions
}

// String returns the sketch as text, without spaces at the ends of lines.
func (s Sketch) String() string {
	var out strings.Builder
	for y, row := range s.grid {
		for x := range Columns {
			if directions := s.lines[image.Pt(x, y)]; directions > 0 {
				for len(row) <= x {
					row = append(row, ' ')
				}
				if row[x] == ' ' {
					row[x] = corner[directions]
				}
			}
		}
		out.WriteString(strings.TrimRight(string(row), " ") + "\n")
	}
	return out.String()
}

// centred returns text padded to that many columns, in the middle.
func centred(text string, width int, fill rune) string {
	rest := max(0, width-utf8.RuneCountInString(text))
	return strings.Repeat(string(fill), rest/2) + text + strings.Repeat(string(fill), rest-rest/2)
}
