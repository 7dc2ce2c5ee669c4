package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/report/internal/draw"
)

// darkPaper is the background of a dark page, as in its style sheet.
var darkPaper = draw.Hex("16181b")

// leastContrast is that of a colour of data with dark paper (chosen). White text on it is readable still.
const leastContrast = 4

// darkStyle is the style sheet that lightens the colours of structures on dark paper, as far as
// they need it. The hue stays.
func darkStyle() string {
	var colors []color.NRGBA
	for _, p := range palettes {
		for _, shade := range p.shades {
			colors = append(colors, color.NRGBAModel.Convert(shade).(color.NRGBA))
		}
	}
	colors = append(colors, color.NRGBAModel.Convert(floorLook.Color).(color.NRGBA))
	var rules []string
	for _, c := range colors {
		if to := lightened(c); to != c {
			for _, attribute := range []string{"fill", "stroke"} {
				rules = append(rules, fmt.Sprintf("svg [%s=%q] { %s: %s; }\n", attribute, hex(c), attribute, hex(to)))
			}
		}
	}
	slices.Sort(rules) // palettes are a map
	return "@media screen and (prefers-color-scheme: dark) {\n" + strings.Join(rules, "") + "}\n"
}

// lightened mixes a colour with as much white as it needs on dark paper.
func lightened(c color.NRGBA) color.NRGBA {
	for white := 0.0; ; white += 0.01 {
		if to := draw.Mix(c, white); contrast(to, darkPaper) >= leastContrast {
			return to
		}
	}
}

// contrast is the ratio of the luminances of two colours as WCAG 2 defines it: 1 for the same, 21 at most.
func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
