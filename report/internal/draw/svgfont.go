package draw

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strconv"
)

// svgText matches a text element as vgsvg writes it: its attributes up to the
// font, weight, size and the rest, and its content.
var svgText = regexp.MustCompile(`<text ([^>]*?)font-family:Liberation Sans;([^>]*?font-weight:(\w+);[^>]*?font-size:([\d.]+)px[^>]*)>([^<]*)</text>`)

// fonts stands once in an SVG, for all its texts: it would be a quarter of many of them.
const fonts = "font-family:'Liberation Sans',Arial,Helvetica,sans-serif"

// usual matches what a text has anyway.
var usual = regexp.MustCompile(`font-(variant|weight|style):normal;`)

// anyFont makes an SVG look the same without its font. It names substitutes for the
// font, and gives each text its width, so that a text in a wider font does not
// cover the data.
func anyFont(svg []byte) []byte {
	var out bytes.Buffer
	last := 0
	for _, m := range svgText.FindAllSubmatchIndex(svg, -1) {
		group := func(i int) string { return string(svg[m[2*i]:m[2*i+1]]) }
		size, err := strconv.ParseFloat(group(4), 64)
		if err != nil {
			continue
		}
		sty := sans(Length(size), nil)
		if group(3) == "bold" {
			sty = bold(Length(size), nil)
		}
		out.Write(svg[last:m[0]])
		fmt.Fprintf(&out, `<text textLength="%.5g" lengthAdjust="spacingAndGlyphs" %s%s>%s</text>`,
			sty.Width(html.UnescapeString(group(5))).Points(), group(1), usual.ReplaceAllString(group(2), ""), group(5))
		last = m[1]
	}
	out.Write(svg[last:])
	return bytes.Replace(out.Bytes(), []byte("<svg "), []byte(`<svg style="`+fonts+`" `), 1)
}
