package whitebox_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
)

// countdown is sound as long as it is above zero, or if it is blind.
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

func TestChecksReportWhatTheyAreFor(t *testing.T) {
	damages := map[string]func(*countdown){"zero": func(c *countdown) { c.n = 0 }}
	for name, c := range map[string]struct {
		check func(checking.T)
		says  string // empty: nothing is reported
	}{
		"the right panic": {func(r checking.T) { checking.Panics(r, "no", func() { panic("no") }) }, ""},
		"another panic":   {func(r checking.T) { checking.Panics(r, "no", func() { panic("yes") }) }, `panic yes, want "no"`},
		"no panic":        {func(r checking.T) { checking.Panics(r, "no", func() {}) }, `panic <nil>, want "no"`},
		"damage is found": {func(r checking.T) {
			whitebox.FindsDamage(r, func() *countdown { return &countdown{n: 1} }, damages)
		}, ""},
		"damage is not found": {func(r checking.T) {
			whitebox.FindsDamage(r, func() *countdown { return &countdown{n: 1, blind: true} }, damages)
		}, "zero: broken"},
		"not sound": {func(r checking.T) { whitebox.FindsDamage(r, func() *countdown { return &countdown{} }, damages) }, "zero: before: at zero"},
	} {
		got := strings.Join(checking.Record(c.check), "\n")
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: reported %q, want %q", name, got, c.says)
		}
	}
}

func TestRecordStopsAtFatalf(t *testing.T) {
	got := checking.Record(func(r checking.T) {
		r.Errorf("one %d", 1)
		r.Fatalf("two")
		r.Errorf("three")
	})
	if fmt.Sprint(got) != "[one 1 two]" {
		t.Fatalf("recorded %q, want what came up to Fatalf", got)
	}
}
