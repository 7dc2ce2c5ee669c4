package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/timerbench/timerbench/bench/stats"
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

// short writes a number for a chart: 950, 12.3k, 4M.
func short(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= u.size*0.9995 {
			return trim3(v/u.size) + u.name
		}
	}
	return trim3(v)
}

// trim3 writes at most three significant digits, without trailing zeros.
func trim3(v float64) string {
	s := strconv.FormatFloat(v, 'g', 3, 64)
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		s = strconv.FormatFloat(f, 'f', -1, 64)
	}
	return s
}

// duration writes nanoseconds with the unit that fits.
func duration(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, " s"}, {1e6, " ms"}, {1e3, " µs"}} {
		if ns >= u.size*0.9995 {
			return trim3(ns/u.size) + u.name
		}
	}
	return trim3(ns) + " ns"
}

// ratio writes how many times as much: 1.04, 2.3, 17, 1.2k.
func ratio(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case v < 0.0995:
		return strconv.FormatFloat(v, 'f', 3, 64)
	case v < 1.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 9.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v < 999.5:
		return strconv.FormatFloat(v, 'f', 0, 64)
	default:
		return short(v)
	}
}

// asFast says how fast something is whose time is so many times as long.
func asFast(r stats.Ratio) string {
	switch {
	case r.Pairs == 0:
		return "–"
	case r.Center < 1/1.05:
		return ratio(1/r.Center) + " times as fast"
	case r.Center > 1.05:
		return ratio(r.Center) + " times as long"
	}
	return "as long"
}

// percent writes a share of 1.
func percent(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v == 0 || v == 1:
		return strconv.FormatFloat(100*v, 'f', 0, 64) + " %"
	default:
		return trim3(100*v) + " %"
	}
}

// andList joins names as a sentence does.
func andList(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
