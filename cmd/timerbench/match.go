package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/timerbench/timerbench/internal/suggest"
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
		return nil, unknown(what, strings.Trim(pattern, "^$"), names)
	}
	return found, nil
}

// unknown says that there is no such name, what exists and which is the nearest.
func unknown(what, name string, names []string) error {
	return fmt.Errorf("no %s matches %q%s; there are: %s", what, name, suggest.Nearest(name, names), strings.Join(names, ", "))
}
