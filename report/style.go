package report

import (
	"fmt"
	"hash/fnv"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures/catalog"
)

// look is how one contender is drawn, the same on every chart.
type look struct {
	color  color.Color
	marker marker
	dashes []vg.Length
}

func (l look) line(width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: width, Dashes: l.dashes}
}

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
	floorLook    = look{color: hex("8a8a8a"), marker: circle.asHollow(), dashes: []vg.Length{3, 2}}
	baselineLook = look{color: hex("000000"), marker: square}
)

// controlLook repeats the hue of the structure under control, hollow and dashed.
func controlLook(of look) look {
	return look{color: of.color, marker: of.marker.asHollow(), dashes: []vg.Length{4, 2.5}}
}

func (f palette) look(member int) look {
	return look{
		color:  f.shades[member%len(f.shades)],
		marker: markers[(f.first+member)%len(markers)],
	}
}

// looks assigns a look to each contender. A structure of the catalog gets the
// next one of its family in catalog order, whatever the results hold, so that it
// looks the same in every report of one version. A structure that the catalog
// does not know (results of another version) gets one by the hash of its name,
// or the next that is free; so does what has a role that this version does not
// know.
func looks(known []structure, rows []contender) map[string]look {
	out := make(map[string]look)
	taken := make(map[catalog.Family]map[int]bool)
	for f := range palettes {
		taken[f] = make(map[int]bool)
	}
	for _, s := range known {
		f := paletteOf(s.family)
		member := len(taken[f])
		taken[f][member] = true
		out[s.name] = palettes[f].look(member)
	}
	for _, c := range rows {
		if _, known := out[c.name]; known || hasOwnLook(c.role) {
			continue
		}
		combinations := len(palettes[others].shades) * len(markers)
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
	return out
}

// hasOwnLook reports whether the role, not the name, says how a row looks.
func hasOwnLook(role results.Role) bool {
	return role == results.RoleFloor || role == results.RoleBaseline || role == results.RoleControl
}

// hex reads a colour such as "1f6fd0".
func hex(s string) color.NRGBA {
	c := color.NRGBA{A: 255}
	if _, err := fmt.Sscanf(s, "%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		panic("report: colour " + s + ": " + err.Error())
	}
	return c
}

func hexes(s ...string) []color.Color {
	out := make([]color.Color, len(s))
	for i := range s {
		out[i] = hex(s[i])
	}
	return out
}

// mix blends a colour with white: 0 is the colour, 1 is white.
func mix(c color.Color, white float64) color.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	up := func(v uint8) uint8 { return uint8(float64(v) + (255-float64(v))*white + 0.5) }
	return color.NRGBA{R: up(n.R), G: up(n.G), B: up(n.B), A: 255}
}

// The greys of everything that is not data.
var (
	ink   = hex("1a1a1a") // titles
	faded = hex("555555") // what explains
	rule  = hex("e4e4e4") // grid
	frame = hex("9a9a9a") // axes
)
