package schedtest

import (
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/structures/schedtest/model"
)

// listed returns the operations that a failure lists.
func listed(failure string) string {
	_, ops, _ := strings.Cut(failure, "the last operations:\n\t")
	return strings.ReplaceAll(strings.TrimSpace(ops), "\n\t", "; ")
}

func TestFailuresAreShrunk(t *testing.T) {
	smallest := map[string]string{
		"IDs without generation":              "Schedule(1) = 0x1; Cancel(0x1) = true; Schedule(1) = 0x1",
		"the next generation is accepted":     "Schedule(1) = 0x1; Cancel(0x2) = true",
		"Reschedule of a stale ID is true":    "Schedule(1) = 0x1; Cancel(0x1) = true; Reschedule(0x1, 1) = true",
		"far deadlines are cut off":           "Schedule(68719476737) = 0x1; Next() = 68719476736, true",
		"fires one tick early":                "Schedule(2) = 0x1; Pop(1) = 0x1 with deadline 2, true",
		"a jump fires in order of scheduling": "Schedule(2) = 0x1; Schedule(1) = 0x2; Pop(2) = 0x1 with deadline 2, true",
		"ties are LIFO":                       "Schedule(1) = 0x1; Schedule(1) = 0x2; Next() = 1, true; Pop(1) = 0x2 with deadline 1, true",
		"Next is not ok with timers far away": "Schedule(4294967296) = 0x1; Next() = 4294967296, false",
	}
	for _, b := range broken {
		want, ok := smallest[b.name]
		if !ok {
			continue
		}
		delete(smallest, b.name)
		c := newConfig(newFaulty(b.faulty), append([]Option{inShort}, b.opts...))
		c.shrink = time.Minute // it takes less
		if got := failures(c, b.check)[0]; listed(got) != want || !strings.Contains(got, "the fewest of ") {
			t.Errorf("%s: %s\nwant %s", b.name, got, want)
		}
	}
	for name := range smallest {
		t.Errorf("no broken scheduler is named %q", name)
	}
}

// A structure that breaks a rule may panic or hang when it gets fewer operations.
func TestShrinkingSurvivesWhatItCauses(t *testing.T) {
	for name, c := range map[string]struct {
		does func()
		time time.Duration
		want string
	}{
		"panics": {func() { panic("empty") }, time.Minute, strings.Repeat("Schedule(1) = ", 3)},
		"hangs":  {func() { select {} }, time.Second, ""},
	} {
		f := newFaulty(faulty{cancel: func(s *faulty, i id) bool {
			if s.Issued < 3 {
				c.does()
			}
			return true
		}})
		config := newConfig(f, nil)
		config.shrink = c.time
		got := strings.Join(record(func(r reporter) {
			s := newSubject(r, config, "few")
			for at := range tick(5) {
				s.schedule(7 + at)
			}
			s.Do(model.Op{Kind: model.Cancel, Slot: s.forge(99)})
		}), "")
		numbered := strings.NewReplacer("0x1; ", "", "0x2; ", "", "0x3; ", "").Replace(listed(got))
		if !strings.HasPrefix(got, `rule "Identity" broken: Cancel(0x63) = true`) || c.want != "" && numbered != c.want+"Cancel(0x63) = true" {
			t.Errorf("%s: %s", name, got)
		}
	}
}
