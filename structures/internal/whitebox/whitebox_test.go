package whitebox_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
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

// miscounts counts a comparison too many once a timer is due at 3.
type miscounts struct {
	structures.Scheduler[int]
	comparisons uint64
}

func (m *miscounts) Schedule(at structures.Tick, v int) structures.ID {
	if m.comparisons++; at == 3 {
		m.comparisons++
	}
	return m.Scheduler.Schedule(at, v)
}

func (m *miscounts) Work() structures.Work { return structures.Work{Comparisons: m.comparisons} }

func (m *miscounts) CheckInvariants() error {
	if m.Len() > 1 {
		return errors.New("two timers")
	}
	return nil
}

func TestCountsComparisonsReportsTheStep(t *testing.T) {
	m := &miscounts{Scheduler: schedtest.NewModel[int]()}
	n := whitebox.NewNamed(m)
	got := checking.Record(func(r checking.T) {
		whitebox.CountsComparisons(r, m, []whitebox.Step{
			{"right", func() { n.Schedule(2); n.Move(2, 5); n.Cancel(5) }, 1},
			{"wrong", func() { n.Schedule(3) }, 1},
			{"unsound", func() { n.Schedule(4) }, 1},
			{"never done", func() { n.Schedule(3) }, 1},
		})
	})
	if len(got) != 2 || !strings.HasPrefix(got[0], "wrong: work") || got[1] != "unsound: two timers" {
		t.Errorf("reported %q", got)
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

func TestSuitePassesTheModel(t *testing.T) {
	whitebox.Suite(t, "model", 9, func(n int) structures.Scheduler[uint64] {
		option.Between("model", "Capacity", n, 0, 9)
		return schedtest.NewModel[uint64]()
	}, func() structures.Scheduler[*schedtest.Payload] {
		return schedtest.NewModel[*schedtest.Payload]()
	}, schedtest.FIFO(), schedtest.Allocates())
}
