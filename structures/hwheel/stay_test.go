package hwheel_test

import (
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/shape"
)

// inSlots returns the entries of all slots of a level, and the stale ones of them.
func inSlots(s *hwheel.Wheel[int], level string) (entries, stale []shape.Entry) {
	for _, p := range s.Snapshot().Parts {
		if p.Name != level {
			continue
		}
		for _, c := range p.Cells {
			for _, e := range c.Entries {
				entries = append(entries, e)
				if e.Stale() {
					stale = append(stale, e)
				}
			}
		}
	}
	return entries, stale
}

// A timer above level 0 that is moved to later keeps its place. One that is moved to earlier
// leaves it, and so does every timer of level 0.
func TestATimerThatIsMovedToLaterStays(t *testing.T) {
	for name, c := range map[string]struct {
		from, to structures.Tick
		level    string
		stays    bool
	}{
		"later":            {20_000, 1_000_000, "level 1", true},
		"the same":         {20_000, 20_000, "level 1", true},
		"never":            {20_000, 1<<63 - 1, "level 1", true},
		"earlier":          {20_000, 19_999, "level 1", false},
		"later in level 0": {200, 300, "level 0", false},
		"out of level 0":   {200, 20_000, "level 0", false},
		"out of level 2":   {20_000_000, 30_000_000, "level 2", true},
		"into level 0":     {20_000, 100, "level 1", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := hwheel.New[int]()
			id := s.Schedule(c.from, 7)
			s.Next() // it is in a slot
			s.Reschedule(id, c.to)
			checking.Sound(t, s)
			entries, stale := inSlots(s, c.level)
			if stays := len(entries) == 1 && len(stale) == 0; stays != c.stays {
				t.Errorf("%s holds %+v", c.level, entries)
			}
			if c.stays && (entries[0].Deadline != c.to || entries[0].Filed < c.from || entries[0].Filed > c.from|0xffff) {
				t.Errorf("%s holds %+v, want deadline %d, filed near %d", c.level, entries, c.to, c.from)
			}
			if got, ok := s.Pop(c.to - 1); ok && c.to > c.from {
				t.Errorf("it fired as %+v at %d", got, c.to-1)
			}
			if got, ok := s.Pop(c.to); !ok || got.ID != id || got.Deadline != c.to || got.Value != 7 {
				t.Errorf("Pop(%d) = %+v, %t", c.to, got, ok)
			}
		})
	}
}

// A new timer takes over the record of one that was cancelled, and its place if that is not
// too late. Its ID is another one.
func TestANewTimerTakesOverTheRecordOfACancelledOne(t *testing.T) {
	for name, c := range map[string]struct {
		from, to structures.Tick
		stays    bool
	}{
		"later":            {20_000, 1_000_000, true},
		"earlier":          {20_000, 19_999, false},
		"later in level 0": {200, 300, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := hwheel.New[int]()
			var ids []structures.ID
			for i := range 50 {
				ids = append(ids, s.Schedule(c.from, i))
			}
			s.Next() // they are in slots
			for i, id := range ids {
				s.Cancel(id)
				ids[i] = s.Schedule(c.to, 100+i)
				if uint32(ids[i]) != uint32(id) || ids[i] == id || s.Cancel(id) || s.Len() != len(ids) {
					t.Fatalf("timer %#x follows timer %#x, among %d", ids[i], id, s.Len())
				}
				checking.Sound(t, s)
			}
			_, stale := inSlots(s, "level 1")
			if c.from < 4096 {
				_, stale = inSlots(s, "level 0")
			}
			if stays := len(stale) == 0; stays != c.stays {
				t.Errorf("%d entries are stale", len(stale))
			}
			for timer := range structures.Due(s, max(c.from, c.to)) {
				i := slices.Index(ids, timer.ID)
				if i < 0 || timer.Deadline != c.to || timer.Value != 100+i {
					t.Fatalf("%+v fired", timer)
				}
				ids[i] = 0
			}
			if s.Len() != 0 {
				t.Errorf("%d timers are left", s.Len())
			}
		})
	}
}
