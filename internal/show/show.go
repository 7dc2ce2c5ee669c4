// Package show writes numbers, lists and tables for people: in the terminal, in Markdown
// and on charts, everywhere in the same way.
package show

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Unknown stands where there is no number.
const Unknown = "–"

// Figure writes a number with at most three significant digits, and numbers from 1000 on as
// whole numbers in groups: 0.0123, 4.5, 123, 12,300.
func Figure(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return Unknown
	case a >= 999.5:
		scale := math.Pow10(int(math.Floor(math.Log10(a))) - 2)
		return Grouped(int64(math.Round(v/scale) * scale))
	}
	s := strconv.FormatFloat(v, 'g', 3, 64)
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		s = strconv.FormatFloat(f, 'f', -1, 64)
	}
	return s
}

// Grouped writes a whole number with a comma between groups of three digits.
func Grouped[I int | int64 | uint64](n I) string {
	s, sign := fmt.Sprint(n), ""
	if s[0] == '-' {
		s, sign = s[1:], "-"
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Short writes a number for a chart: 950, 12.3k, 4M.
func Short(v float64) string { return scaled(v, "G", "M", "k", "") }

// Duration writes nanoseconds with the unit that fits: 12.3 µs.
func Duration(ns float64) string { return scaled(ns, " s", " ms", " µs", " ns") }

// Delay writes a time in nanoseconds from which timers are counted: 1h0m0.5s.
func Delay(ns float64) string {
	if ns >= math.MaxInt64 {
		return "centuries"
	}
	d := time.Duration(ns)
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / 1000).String()
		}
	}
	return d.String()
}

// Bytes writes an amount of memory: 12.3 kB.
func Bytes(n float64) string { return scaled(n, " GB", " MB", " kB", " bytes") }

// scaled writes a number in the largest of the units of 10^9, 10^6, 10^3 and 1 of which there is one, or in the last one.
func scaled(v float64, units ...string) string {
	size := 1e9
	for size > 1 && !(math.Abs(v) >= size*0.9995) {
		size, units = size/1e3, units[1:]
	}
	return Figure(v/size) + units[0]
}

// Times writes how many times as much: 1.04, 2.3, 17, 1.2k.
func Times(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return Unknown
	case v < 0.0995:
		return strconv.FormatFloat(v, 'f', 3, 64)
	case v < 1.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 9.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v < 999.5:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return Short(v)
}

// Percent writes a share of 1: 12.3 %. Shares below 0.001 % are alike.
func Percent(share float64) string {
	switch {
	case math.IsNaN(share) || math.IsInf(share, 0):
		return Unknown
	case share > 0 && share < 0.00001:
		return "< 0.001 %"
	}
	return Figure(100*share) + " %"
}

// Count writes a number of things: 1 tick, 2,000 ticks.
func Count[I int | int64 | uint64](n I, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Grouped(n) + " " + thing
}

// Joined joins the parts that are not empty.
func Joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), separator)
}

// When returns a text on a condition, or else an empty one.
func When(condition bool, text string) string {
	if !condition {
		return ""
	}
	return text
}

// And joins names as a sentence does: a, b and c.
func And(names []string) string { return inSentence(names, " and ") }

// Or joins names as a sentence does: a, b or c.
func Or(names []string) string { return inSentence(names, " or ") }

// Some joins names as And does, but names only the first few: a, b and 3 more. Without names it is Unknown.
func Some(names []string, most int) string {
	switch more := len(names) - most; {
	case len(names) == 0:
		return Unknown
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return And(names)
}

func inSentence(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + last + names[len(names)-1]
}

// widest is the ratio of the ends of an interval beyond which the interval says nothing (chosen).
const widest = 10

// Narrow reports whether an interval is known, and narrow enough to be shown: from more than 0 to at most 10 times as much.
func Narrow(lo, hi float64) bool { return lo > 0 && hi <= widest*lo }

// Interval writes the ends of an interval, or Unknown if the interval is not Narrow.
func Interval(lo, hi float64, write func(float64) string, between string) string {
	if !Narrow(lo, hi) {
		return Unknown
	}
	return write(lo) + between + write(hi)
}

// Spread writes how far an interval reaches from its center: 12 %. It writes Unknown if the interval is not Narrow.
func Spread(center, lo, hi float64) string {
	if !Narrow(lo, hi) {
		return Unknown
	}
	return fmt.Sprintf("%.0f %%", 100*math.Max(hi-center, center-lo)/center)
}

// Nearest returns ` (did you mean "x"?)` for the nearest of names, or nothing if none is near. A name is near if it takes
// at most one edit for every three letters of the given one, or one. Of equally near names the longest counts. If no
// name is near, the first parts of names with dashes are tried: "kafak" is near to "kafka-purgatory".
func Nearest(name string, names []string) string {
	if name == "" {
		return ""
	}
	best, least := "", max(1, len(name)/3)
	consider := func(full, part string) {
		if d := edits(name, part); d < least || d == least && (best == "" || full == part && len(full) > len(best)) {
			best, least = full, d
		}
	}
	for _, n := range names {
		consider(n, n)
	}
	if best == "" {
		for _, n := range names {
			if first, _, several := strings.Cut(n, "-"); several {
				consider(n, first)
			}
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// edits returns how many edits make b of a: a letter inserted, removed or replaced, or two neighbors swapped.
func edits(a, b string) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			replace := row[j]
			if a[i] != b[j] {
				replace++
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, replace)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
