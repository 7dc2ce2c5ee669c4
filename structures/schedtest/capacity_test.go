package schedtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures/schedtest/model"
)

// bounded makes models of a capacity, which they keep from limit on down.
func bounded(limit int) func(n int) scheduler {
	return func(n int) scheduler {
		if n < 0 || n > limit {
			panic(fmt.Sprintf("model: Capacity(%d): want a number from 0 to %d", n, limit))
		}
		return &roomy{reference{Pending: make([]model.Entry[uint64], 0, n)}}
	}
}

// roomy keeps nothing of what it is given beyond its room.
type roomy struct{ reference }

func TestCapacityReportsWhatItIsFor(t *testing.T) {
	for name, c := range map[string]struct {
		check func(reporter)
		says  string // empty: nothing is reported
	}{
		"capacity":       {func(r reporter) { capacityRefused(r, "model", 9, bounded(9)) }, ""},
		"a lower limit":  {func(r reporter) { capacityRefused(r, "model", 9, bounded(8)) }, "to 8"},
		"a higher limit": {func(r reporter) { capacityRefused(r, "model", 9, bounded(10)) }, "Capacity(10)"},
		"no limit":       {func(r reporter) { capacityRefused(r, "model", 9, func(int) scheduler { return nil }) }, "Capacity(-1)"},
		"no room":        {func(r reporter) { capacityReserved(r, func(int) scheduler { return &reference{} }) }, "Capacity(1): "},
	} {
		got := strings.Join(record(c.check), "\n")
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: reported %q, want %q", name, got, c.says)
		}
	}
}
