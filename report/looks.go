package report

import (
	"hash/fnv"
	"image/color"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/structures/catalog"
)

// palette is the shades of a family of structures, which share a hue. Markers tell its
// members apart, and shades help.
type palette struct {
	shades []color.Color
	first  int // index of the marker of its first member
}

// The hues were searched so that any two families differ for everybody, also for those who
// do not see red, green or blue as others do, and that all of them are read on white and on
// a dark page. So no shade is very light or very dark.
var palettes = map[catalog.Family]palette{
	catalog.Heaps:  {first: 0, shades: hexes("3660d5", "5382fa", "4471e8")},
	catalog.Wheels: {first: 1, shades: hexes("a95800", "d47000", "be6400")},
	catalog.Trees:  {first: 3, shades: hexes("007b3e", "009c51", "008b48")},
	catalog.Lists:  {first: 2, shades: hexes("ad49ac", "cf6ace", "be59bd")},
	others:         {first: 4, shades: hexes("7c7872", "97938d", "89857f")},
}

// others is the family of what the catalog does not know, or gives no hue to.
const others catalog.Family = ""

func paletteOf(f catalog.Family) catalog.Family {
	if _, ok := palettes[f]; ok {
		return f
	}
	return others
}

var (
	floorLook    = draw.Look{Color: draw.Hex("8a8a8a"), Marker: draw.Circle.AsHollow(), Dashes: []draw.Length{3, 2}}
	baselineLook = draw.Look{Color: draw.Ink, Marker: draw.Square}
)

// controlLook repeats the hue of the structure under control, hollow and dashed.
func controlLook(of draw.Look) draw.Look {
	return draw.Look{Color: of.Color, Marker: of.Marker.AsHollow(), Dashes: []draw.Length{4, 2.5}}
}

func (f palette) look(member int) draw.Look {
	return draw.Look{
		Color:  f.shades[member%len(f.shades)],
		Marker: draw.Markers[(f.first+member)%len(draw.Markers)],
	}
}

// looks assigns a look to each contender. A structure of the catalog gets the next
// look of its family in catalog order, so that it looks the same in every report of
// one version. What this version does not know, a structure or a role, gets the look
// at the hash of its name, or the next free one.
func looks(known []structure, rows []contender) map[string]draw.Look {
	out := make(map[string]draw.Look)
	taken := make(map[catalog.Family]map[int]bool)
	for f := range palettes {
		taken[f] = make(map[int]bool)
	}
	for _, s := range known {
		f := paletteOf(s.family)
		member := len(taken[f])
		taken[f][member] = true
		look := palettes[f].look(member)
		look.Family = string(s.family)
		out[s.name] = look
	}
	for _, c := range rows {
		if _, known := out[c.name]; known || hasOwnLook(c.role) {
			continue
		}
		combinations := len(palettes[others].shades) * len(draw.Markers)
		h := fnv.New32a()
		h.Write([]byte(c.name))
		member := int(h.Sum32() % uint32(combinations))
		for tries := 0; taken[others][member] && tries < combinations; tries++ {
			member = (member + 1) % combinations
		}
		taken[others][member] = true
		out[c.name] = palettes[others].look(member)
	}
	for _, c := range rows {
		switch c.role {
		case results.RoleFloor:
			out[c.name] = floorLook
		case results.RoleBaseline:
			out[c.name] = baselineLook
		case results.RoleControl:
			of, ok := out[c.of]
			if !ok {
				of = floorLook
			}
			out[c.name] = controlLook(of)
		}
	}
	for name, look := range out {
		look.Name, look.Structure = name, name
		out[name] = look
	}
	for _, c := range rows {
		look := out[c.name]
		look.Name = c.shown()
		out[c.name] = look
	}
	return out
}

// hasOwnLook reports whether the role, not the name, says how a row looks.
func hasOwnLook(role results.Role) bool {
	return role == results.RoleFloor || role == results.RoleBaseline || role == results.RoleControl
}

func hexes(s ...string) []color.Color {
	out := make([]color.Color, len(s))
	for i := range s {
		out[i] = draw.Hex(s[i])
	}
	return out
}
