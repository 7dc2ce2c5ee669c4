package draw

import (
	"hash/fnv"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/entry"
)

// Length is a length in points; a figure is [Width] points wide.
type Length = vg.Length

// Style identifies a contender and says how to draw it, the same in every figure.
type Style struct {
	Name      string // as shown
	Structure string // its name in the data; empty: no structure
	Family    string // of the structure; empty: none
	Cell      string // of the results, by workload and N; empty: none

	Color  color.Color
	Marker Marker
	Dashes []Length
}

func (l Style) line(width Length) draw.LineStyle {
	return draw.LineStyle{Color: l.Color, Width: width, Dashes: l.Dashes}
}

// palette is the shades of a family of structures, which share a hue. Markers distinguish its
// members, and shades help.
type palette struct {
	shades []color.Color
	first  int // index of the marker of its first member
}

// others is the family of structures that are not in the catalog or have no hue.
const others entry.Family = ""

// The hues of any two families differ for readers with and without color blindness, and all hues are
// legible on white and on dark pages. No shade is very light or very dark.
var palettes = map[entry.Family]palette{
	entry.Heaps:  {first: 0, shades: hexes("3660d5", "5382fa", "4471e8")},
	entry.Wheels: {first: 1, shades: hexes("a95800", "d47000", "be6400")},
	entry.Trees:  {first: 3, shades: hexes("007b3e", "009c51", "008b48")},
	entry.Lists:  {first: 2, shades: hexes("ad49ac", "cf6ace", "be59bd")},
	others:       {first: 4, shades: hexes("7c7872", "97938d", "89857f")},
}

func hexes(s ...string) []color.Color {
	out := make([]color.Color, len(s))
	for i := range s {
		out[i] = Hex(s[i])
	}
	return out
}

// BaselineStyle is the style of Go's own timers.
var BaselineStyle = Style{Color: Ink, Marker: Square}

var floor = Style{
	Color: Hex("8a8a8a"), Marker: Circle.AsHollow(), Dashes: []Length{3, 2},
}

func (p palette) style(member int) Style {
	return Style{
		Color:  p.shades[member%len(p.shades)],
		Marker: Markers[(p.first+member)%len(Markers)],
	}
}

// Styles assigns a style to each contender, by name. A structure of the catalog gets the next style of its
// family in catalog order, so it has the same style in every report of one version. A contender outside
// the catalog gets the style at the hash of its name, or the next free style. The role decides the style
// of the rows of the harness.
func Styles(entries []entry.Entry, rows []answer.RowName) map[string]Style {
	out := make(map[string]Style)
	members := make(map[entry.Family]int)
	for _, e := range entries {
		f := e.Family
		if _, ok := palettes[f]; !ok {
			f = others
		}
		style := palettes[f].style(members[f])
		members[f]++
		style.Name, style.Structure, style.Family = e.Name, e.Name, string(f)
		out[e.Name] = style
	}
	taken := make(map[int]bool)
	for member := range members[others] {
		taken[member] = true
	}
	for _, c := range rows {
		if _, known := out[c.Name]; !known && c.Role != results.RoleFloor && c.Role != results.RoleControl {
			member := hash(c.Name)
			for tries := 0; taken[member] && tries < combinations; tries++ {
				member = (member + 1) % combinations
			}
			taken[member] = true
			out[c.Name] = palettes[others].style(member)
		}
	}
	for _, c := range rows {
		style := out[c.Name]
		switch c.Role {
		case results.RoleFloor:
			style = floor
		case results.RoleControl: // the hue of the structure under control, hollow and dashed
			of, ok := out[c.Of]
			if !ok {
				of = floor
			}
			style = Style{Color: of.Color, Marker: of.Marker.AsHollow(), Dashes: []Length{4, 2.5}}
		}
		style.Name, style.Structure = c.Shown(), c.Name
		out[c.Name] = style
	}
	return out
}

// combinations is the number of styles for contenders outside the catalog.
var combinations = len(palettes[others].shades) * len(Markers)

func hash(name string) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int(h.Sum32() % uint32(combinations))
}
