// Package suggest finds the name that was meant.
package suggest

import (
	"fmt"

	"github.com/agext/levenshtein"
)

// Nearest returns `, did you mean "x"?` where x is the nearest of names, or
// nothing if none is near.
func Nearest(name string, names []string) string {
	const near = 0.5 // two letters of four swapped, say
	best, score := "", 0.0
	for _, n := range names {
		if s := levenshtein.Similarity(name, n, nil); s >= near && s > score {
			best, score = n, s
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}
