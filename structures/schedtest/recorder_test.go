package schedtest

import (
	"strings"

	"github.com/timerbench/timerbench/structures/internal/checking"
)

// record returns the failures that check reports.
func record(check func(reporter)) []string { return checking.Record(check) }

// failures runs the checks whose names begin with prefix.
func failures(c *config, prefix string) (all []string) {
	for _, rule := range suite {
		if strings.HasPrefix(rule.name, prefix) && (rule.applies == nil || rule.applies(c)) {
			all = append(all, record(func(r reporter) { rule.check(r, c) })...)
		}
	}
	return all
}
