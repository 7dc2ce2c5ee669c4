package show

import (
	"fmt"
	"strings"
)

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
