package sketch

import (
	"image"
	"strings"
	"unicode/utf8"
)

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
		grid[y] = []rune(strings.Repeat(" ", s.Columns))
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
