package report

import (
	"hash/fnv"
	"image/color"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/structures/catalog"
)

// palette is the shades of a family of structures, which share a hue. Shades and
// markers tell its members apart; their numbers have no common divisor, so that
// the pair repeats only after all combinations.
type palette struct {
	shades []color.Color
	first  int // index of the marker of its first member
}

var palettes = map[catalog.Family]palette{
	catalog.Heaps:  {first: 0, shades: hexes("1f6fd0", "0b2f70", "4fa3f0", "4c4fc9", "1592b8", "8590e6")},
	catalog.Wheels: {first: 1, shades: hexes("d9480f", "8a1f0a", "f59f00", "c2410c", "e8685a", "a8710a")},
	catalog.Trees:  {first: 3, shades: hexes("2b8a3e", "0c4f2c", "7cb518", "12907a", "5c7a1e", "5fbf93")},
	catalog.Lists:  {first: 2, shades: hexes("8338c9", "4a167f", "b57be8", "c2399f", "7452a8", "dd86cf")},
	others:         {first: 4, shades: hexes("8c6239", "53361a", "c29766", "a0526b", "6e6b34", "b08f8f")},
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
	baselineLook = draw.Look{Color: draw.Hex("000000"), Marker: draw.Square}
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
