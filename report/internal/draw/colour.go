package draw

import (
	"fmt"
	"image/color"
)

// The greys of everything that is not data.
var (
	ink   = Hex("1a1a1a") // titles
	Faded = Hex("555555") // what explains
	rule  = Hex("e4e4e4") // grid
	frame = Hex("9a9a9a") // axes
)

// Hex reads a colour such as "1f6fd0". It panics if it is none.
func Hex(s string) color.NRGBA {
	c := color.NRGBA{A: 255}
	if _, err := fmt.Sscanf(s, "%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		panic("draw: colour " + s + ": " + err.Error())
	}
	return c
}

// Mix blends a colour with white: 0 is the colour, 1 is white.
func Mix(c color.Color, white float64) color.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	up := func(v uint8) uint8 { return uint8(float64(v) + (255-float64(v))*white + 0.5) }
	return color.NRGBA{R: up(n.R), G: up(n.G), B: up(n.B), A: 255}
}
