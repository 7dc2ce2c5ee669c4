package looks

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/internal/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/structures/catalog"
)

func TestLooks(t *testing.T) {
	t.Parallel()
	var entries []catalog.Entry
	for _, family := range []catalog.Family{catalog.Heaps, catalog.Wheels, catalog.Trees, catalog.Lists} {
		for n := range 6 {
			entries = append(entries, catalog.Entry{Name: fmt.Sprint(family, n), Family: family})
		}
	}
	rows := []analysis.Contender{
		{Name: "foreign", Role: results.RoleStructure},
		{Name: "strange-heap", Role: results.RoleStructure},
		{Name: "heaps1-control", Role: results.RoleControl, Of: "heaps1"},
		{Name: "null", Role: results.RoleFloor},
		{Name: "time.AfterFunc", Role: results.RoleBaseline},
	}
	all := Of(entries, rows)
	type pair struct {
		color  any
		marker draw.Marker
	}
	owner := make(map[pair]string)
	for name, l := range all {
		p := pair{l.Color, l.Marker}
		if other, taken := owner[p]; taken {
			t.Errorf("%s and %s look the same", name, other)
		}
		owner[p] = name
	}
	if c, q := all["heaps1-control"], all["heaps1"]; c.Color != q.Color || c.Marker != q.Marker.AsHollow() || len(c.Dashes) == 0 {
		t.Error("a control has the hue of its structure, hollow and dashed")
	}
	// Neither the results nor later entries of the catalog change a look.
	for name, look := range Of(entries[:7], nil) {
		if look.Color != all[name].Color || look.Marker != all[name].Marker {
			t.Errorf("%s looks different in a longer catalog", name)
		}
	}
	if alone := Of(entries, rows[:1]); alone["foreign"].Color != all["foreign"].Color {
		t.Error("an unknown structure looks different beside others")
	}
	blue := func(name string) bool {
		n := color.NRGBAModel.Convert(all[name].Color).(color.NRGBA)
		return n.B > n.R && n.B > n.G
	}
	for name, want := range map[string]bool{"heaps0": true, "heaps5": true, "wheels1": false, "trees2": false, "foreign": false} {
		if blue(name) != want {
			t.Errorf("%s is blue: %v, want %v, as heaps alone are", name, !want, want)
		}
	}
}

// No two structures of the catalog that share a hue share a marker, and hues are few enough to
// be told apart by everybody.
func TestMembersOfAFamilyHaveMarkersOfTheirOwn(t *testing.T) {
	t.Parallel()
	owner := make(map[any]string)
	for name, l := range Of(catalog.All(), nil) {
		key := [2]any{l.Family, l.Marker}
		if other := owner[key]; other != "" {
			t.Errorf("%s and %s are of one family and have one marker", name, other)
		}
		owner[key] = name
	}
}

// linear is a colour as light: red, green and blue from 0 to 1.
type linear [3]float64

func light(c color.Color) linear {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	var out linear
	for i, v := range []uint8{n.R, n.G, n.B} {
		if s := float64(v) / 255; s <= 0.04045 {
			out[i] = s / 12.92
		} else {
			out[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	return out
}

func (c linear) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// seen is the colour as somebody sees it who lacks a kind of cones: Machado, Oliveira and
// Fernandes, "A physiologically-based model for simulation of color vision deficiency" (2009).
func (c linear) seen(m [3]linear) linear {
	var out linear
	for i, row := range m {
		out[i] = min(1, max(0, row[0]*c[0]+row[1]*c[1]+row[2]*c[2]))
	}
	return out
}

// lab is the colour in CIELAB, in which distances are those that one sees.
func (c linear) lab() [3]float64 {
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505)
	y := f(c.luminance())
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

var allEyes = map[string][3]linear{
	"all cones":      {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"no red cones":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"no green cones": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"no blue cones":  {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// apart is how far two colours lie apart for some eyes. One sees 2.3 side by side.
func apart(a, b color.Color, eyes [3]linear) float64 {
	x, y := light(a).seen(eyes).lab(), light(b).seen(eyes).lab()
	return math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2])
}

func TestFamiliesDifferForEverybody(t *testing.T) {
	t.Parallel()
	const least = 13
	for eyes, m := range allEyes {
		for f, p := range palettes {
			for g, q := range palettes {
				if f >= g {
					continue
				}
				for _, a := range p.shades {
					for _, b := range q.shades {
						if d := apart(a, b, m); d < least {
							t.Errorf("%s: %q and %q have shades %v and %v, %.1f apart", eyes, f, g, a, b, d)
						}
					}
				}
			}
		}
	}
}

// WCAG wants a contrast of 3 for graphics.
func TestShadesAreReadOnWhiteAndOnDark(t *testing.T) {
	t.Parallel()
	dark := light(draw.Hex("16181b")).luminance()
	for f, p := range palettes {
		for _, c := range p.shades {
			l := light(c).luminance()
			if onWhite, onDark := 1.05/(l+0.05), (l+0.05)/(dark+0.05); onWhite < 3 || onDark < 3 {
				t.Errorf("%v of %q has a contrast of %.2f on white and of %.2f on dark", c, f, onWhite, onDark)
			}
		}
	}
}

// Any two steps of the overview differ, and the worse is the darker, for everybody.
func TestStepsDifferForEverybody(t *testing.T) {
	t.Parallel()
	const least = 10
	for eyes, m := range allEyes {
		for i, a := range Steps {
			for _, b := range Steps[i+1:] {
				if d := apart(a.Color, b.Color, m); d < least {
					t.Errorf("%s: %q and %q are %.1f apart", eyes, a.Name, b.Name, d)
				}
				if light(a.Color).seen(m).luminance() <= light(b.Color).seen(m).luminance() {
					t.Errorf("%s: %q is not lighter than %q", eyes, a.Name, b.Name)
				}
			}
		}
	}
}
