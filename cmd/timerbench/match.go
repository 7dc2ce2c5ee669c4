package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/agext/levenshtein"
)

// match returns those of all whose names match pattern; an empty pattern matches
// all. An error says what exists and which name is the nearest.
func match[T any](what string, all []T, name func(T) string, pattern string) ([]T, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("--%s %q is not a regular expression: %w", what, pattern, err)
	}
	var found []T
	var names []string
	for _, x := range all {
		names = append(names, name(x))
		if re.MatchString(name(x)) {
			found = append(found, x)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no %s matches %q%s; there are: %s", what, strings.Trim(pattern, "^$"), suggestion(pattern, names), strings.Join(names, ", "))
	}
	return found, nil
}

// suggestion names the nearest name, if one is near.
func suggestion(pattern string, names []string) string {
	const near = 0.5
	best, score := "", near
	for _, n := range names {
		if s := levenshtein.Similarity(strings.Trim(pattern, "^$"), n, nil); s > score {
			best, score = n, s
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}
