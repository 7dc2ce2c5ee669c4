package schedtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// bounded makes models of a capacity, which they keep from limit on down.
func bounded(limit int) func(n int) scheduler {
	return func(n int) scheduler {
		if n < 0 || n > limit {
			panic(fmt.Sprintf("model: Capacity(%d): want a number from 0 to %d", n, limit))
		}
		return &roomy{model{pending: make([]entry[uint64], 0, n)}}
	}
}

// roomy keeps nothing of what it is given beyond its room.
type roomy struct{ model }

// countdown is sound as long as it is above zero, or says so.
type countdown struct {
	n     int
	blind bool
}

func (c *countdown) CheckInvariants() error {
	if c.n <= 0 && !c.blind {
		return errors.New("at zero")
	}
	return nil
}

// replacesBadly lets the last timer take the place of one in the middle, with the
// deadline of that.
type replacesBadly struct{ model }

func (s *replacesBadly) Cancel(i id) bool {
	if p := s.find(i); p > 0 && len(s.pending) > 5 {
		s.pending[len(s.pending)-1].Deadline = s.pending[p].Deadline
	}
	return s.model.Cancel(i)
}

func TestPartsReportWhatTheyAreFor(t *testing.T) {
	harms := map[string]func(*countdown){"zero": func(c *countdown) { c.n = 0 }}
	for name, c := range map[string]struct {
		check func(reporter)
		says  string // none: nothing is reported
	}{
		"the right panic":   {func(r reporter) { panics(r, "no", func() { panic("no") }) }, ""},
		"another panic":     {func(r reporter) { panics(r, "no", func() { panic("yes") }) }, `panic yes, want "no"`},
		"no panic":          {func(r reporter) { panics(r, "no", func() {}) }, `panic <nil>, want "no"`},
		"capacity":          {func(r reporter) { capacityRefused(r, "model", 9, bounded(9)) }, ""},
		"a lower limit":     {func(r reporter) { capacityRefused(r, "model", 9, bounded(8)) }, "to 8"},
		"a higher limit":    {func(r reporter) { capacityRefused(r, "model", 9, bounded(10)) }, "Capacity(10)"},
		"no limit":          {func(r reporter) { capacityRefused(r, "model", 9, func(int) scheduler { return nil }) }, "Capacity(-1)"},
		"no room":           {func(r reporter) { capacityReserved(r, func(int) scheduler { return &model{} }) }, "Capacity(1): "},
		"harm is found":     {func(r reporter) { findsHarm(r, func() *countdown { return &countdown{n: 1} }, harms) }, ""},
		"harm is not found": {func(r reporter) { findsHarm(r, func() *countdown { return &countdown{n: 1, blind: true} }, harms) }, "zero: broken"},
		"not sound":         {func(r reporter) { findsHarm(r, func() *countdown { return &countdown{} }, harms) }, "zero: before: at zero"},
		"removals":          {func(r reporter) { removals(r, func() scheduler { return &model{} }) }, ""},
		"a bad removal":     {func(r reporter) { removals(r, func() scheduler { return &replacesBadly{} }) }, "(0: cancelled): fired at"},
	} {
		got := strings.Join(record(c.check), "\n")
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: reported %q, want %q", name, got, c.says)
		}
	}
}
