// Package suggest finds the name that was meant.
package suggest

import (
	"fmt"
	"strings"

	"github.com/agext/levenshtein"
)

// Nearest returns ` (did you mean "x"?)` where x is the nearest of names, or
// nothing if none is near. A name is near also if its beginning is: "kafak" is near
// to "kafka-purgatory".
func Nearest(name string, names []string) string {
	const (
		near  = 0.5 // two letters of four swapped, say
		whole = 2   // how much more the whole name counts than its beginning
	)
	best, score := "", 0.0
	for _, n := range names {
		s := levenshtein.Similarity(name, n, nil) * whole
		if beginning, _, several := strings.Cut(n, "-"); several && s < near*whole {
			s = levenshtein.Similarity(name, beginning, nil)
		}
		if s >= near && s > score {
			best, score = n, s
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}
