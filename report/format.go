package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// digits3 rounds to three significant digits, without an exponent.
func digits3(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case a == 0:
		return "0"
	case a >= 100:
		// Rounded to three digits, then grouped: 12 300.
		scale := math.Pow10(int(math.Floor(math.Log10(a))) - 2)
		return grouped(strconv.FormatFloat(math.Round(v/scale)*scale, 'f', 0, 64))
	case a < 0.001:
		return strconv.FormatFloat(v, 'g', 3, 64)
	default:
		decimals := 2 - int(math.Floor(math.Log10(a)))
		return strconv.FormatFloat(v, 'f', decimals, 64)
	}
}

// count writes a whole number with its digits grouped by a thin space.
func count[I int | int64 | uint64](n I) string { return grouped(fmt.Sprint(n)) }

// grouped puts a narrow no-break space between groups of three digits.
func grouped(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	if len(s) < 5 {
		return sign + s
	}
	var b strings.Builder
	for i, d := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteString("\u202f")
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// asFast says how fast something is whose time is so many times as long.
func asFast(r stats.Ratio) string {
	switch {
	case r.Pairs == 0:
		return "–"
	case r.Center < 1/1.05:
		return show.Times(1/r.Center) + " times as fast"
	case r.Center > 1.05:
		return show.Times(r.Center) + " times as long"
	}
	return "as long"
}
