package durable

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// history is what was done to the timers and what was handled. Each key is changed by
// one goroutine, so that its changes have an order.
type history struct {
	mu      sync.Mutex
	changes map[string][]change
	handled map[string][]handledLine // by ID
	done    map[string]int           // calls that returned true
}

// change is one call of Schedule, Reschedule or Cancel that is over.
type change struct {
	what     string
	deadline time.Time // but of a Cancel
	returned time.Time
	ok       bool
	err      error
}

// handledLine is what a worker writes for each timer that it handles.
type handledLine struct {
	ID      string
	Key     string
	At      time.Time // by the true clock
	Attempt int
}

func newHistory() *history {
	return &history{changes: make(map[string][]change), handled: make(map[string][]handledLine), done: make(map[string]int)}
}

func (h *history) changed(key string, c change) {
	c.returned = time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changes[key] = append(h.changes[key], c)
	if c.ok {
		h.done[c.what]++
	}
}

func (h *history) handle(line handledLine) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.handled[line.ID] = append(h.handled[line.ID], line)
}

// verdict is the judgment of the model on a history.
type verdict struct {
	fired, duplicates int
	latest            time.Duration // from the deadline, or the call that set it, to the first handler
	lost, wrong       []string
}

func (v verdict) String() string {
	return fmt.Sprintf("%d fired, %d handled again, latest %v, %d lost, %d wrong", v.fired, v.duplicates, v.latest, len(v.lost), len(v.wrong))
}

// check says fails of the test what broke a promise. ahead is how far the clock of a
// worker may be ahead of that of the test.
func (h *history) check(t *testing.T, ahead time.Duration) verdict {
	t.Helper()
	v := h.judge(ahead)
	t.Log(v)
	for _, text := range append(v.lost, v.wrong...) {
		t.Error(text)
	}
	return v
}

// judge looks for an order of events that explains what was handled.
func (h *history) judge(ahead time.Duration) (v verdict) {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := make(map[string]bool)
	for key, changes := range h.changes {
		for _, set := range changes {
			if set.what == "cancel" {
				continue
			}
			id := set.id(key)
			if known[id] {
				continue // set again with the same deadline, after an error
			}
			known[id] = true
			lines := h.handled[id]
			if len(lines) == 0 {
				continue
			}
			v.fired++
			v.duplicates += len(lines) - 1
			first := slices.MinFunc(lines, func(a, b handledLine) int { return a.At.Compare(b.At) })
			if early := set.deadline.Sub(first.At); early > ahead {
				v.wrong = append(v.wrong, fmt.Sprintf("%s fired %v early", id, early))
			}
			from := set.deadline
			if set.returned.After(from) {
				from = set.returned
			}
			v.latest = max(v.latest, first.At.Sub(from))
		}
		ends := h.follow(key, changes, ahead)
		lost := func(pending int) bool { return pending != none && !h.fired(key, changes[pending]) }
		switch {
		case len(ends) == 0:
			v.wrong = append(v.wrong, fmt.Sprintf("%s: nothing explains what fired: %s", key, h.describe(key, changes)))
		case !slices.ContainsFunc(ends, func(pending int) bool { return !lost(pending) }):
			v.lost = append(v.lost, fmt.Sprintf("%s: the last timer is lost: %s", key, h.describe(key, changes)))
		}
	}
	for id := range h.handled {
		if !known[id] {
			v.wrong = append(v.wrong, fmt.Sprintf("%s fired and was never set", id))
		}
	}
	return v
}

// none is the state of a key without a timer.
const none = -1

// follow returns what can be pending under key after all changes: the index of the
// change that set it, or none. A change with an error has happened or not. What was
// handled has fired before the next change, or else it cannot have been replaced.
func (h *history) follow(key string, changes []change, ahead time.Duration) []int {
	states := []int{none}
	for i, c := range changes {
		var next []int
		reach := func(state int) {
			if !slices.Contains(next, state) {
				next = append(next, state)
			}
		}
		for _, state := range states {
			fired := state != none && h.fired(key, changes[state])
			if fired && !c.returned.Before(changes[state].deadline.Add(-ahead)) {
				// It may have fired by now. That it fired later is possible only if the change has not touched it.
				if untouched := c.err != nil; untouched {
					h.step(key, c, i, state, reach)
				}
				state = none
			}
			h.step(key, c, i, state, reach)
		}
		states = next
	}
	return states
}

// step reaches the states that change i can lead to from one.
func (h *history) step(key string, c change, i, state int, reach func(int)) {
	happens, can := i, true
	switch c.what {
	case "cancel":
		happens, can = none, state != none
	case "reschedule":
		can = state != none
	}
	changes := h.changes[key]
	// What fired cannot have been replaced, but by what has the same ID.
	replaces := state != none && h.fired(key, changes[state]) && (happens == none || c.id(key) != changes[state].id(key))
	if can && !replaces && (c.ok || c.err != nil) {
		reach(happens)
	}
	if c.err == nil && (c.ok || state != none) {
		return // it has happened
	}
	same := func(other change) bool { return other.what != "cancel" && other.deadline.Equal(c.deadline) }
	again := slices.ContainsFunc(changes[i+1:], same) || slices.ContainsFunc(changes[:i], same)
	if c.what == "cancel" || again || !h.fired(key, c) {
		reach(state)
	}
}

func (c change) id(key string) string { return fmt.Sprintf("%s@%d", key, c.deadline.UnixNano()) }

func (h *history) fired(key string, c change) bool { return len(h.handled[c.id(key)]) > 0 }

func (h *history) describe(key string, changes []change) string {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "\n\t%s", c.what)
		if c.what != "cancel" {
			fmt.Fprintf(&b, " to %s", c.deadline.Format(clockForm))
			for _, line := range h.handled[c.id(key)] {
				fmt.Fprintf(&b, " (handled %s)", line.At.Format(clockForm))
			}
		}
		fmt.Fprintf(&b, " returned %v, %v at %s", c.ok, c.err, c.returned.Format(clockForm))
	}
	return b.String()
}

const clockForm = "15:04:05.000000"

// The model notices each kind of fault in a history that is written by hand.
func TestModel(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	set := func(deadline, returned int) change {
		return change{what: "schedule", deadline: at(deadline), returned: at(returned), ok: true}
	}
	move := func(deadline, returned int, ok bool) change {
		return change{what: "reschedule", deadline: at(deadline), returned: at(returned), ok: ok}
	}
	cancel := func(returned int, ok bool) change { return change{what: "cancel", returned: at(returned), ok: ok} }
	unknown := func(c change) change {
		c.ok, c.err = false, errors.New("timeout")
		return c
	}
	for _, test := range []struct {
		name        string
		changes     []change
		fires       [][2]int // deadline and when it was handled
		lost, wrong int
	}{
		{"on time", []change{set(10, 1)}, [][2]int{{10, 10}}, 0, 0},
		{"lost", []change{set(10, 1)}, nil, 1, 0},
		{"early", []change{set(10, 1)}, [][2]int{{10, 9}}, 0, 1},
		{"never set", []change{set(10, 1)}, [][2]int{{10, 10}, {11, 11}}, 0, 1},
		{"twice", []change{set(10, 1)}, [][2]int{{10, 10}, {10, 12}}, 0, 0},
		{"cancelled", []change{set(10, 1), cancel(2, true)}, nil, 0, 0},
		{"fires after Cancel", []change{set(10, 1), cancel(2, true)}, [][2]int{{10, 10}}, 0, 1},
		{"fires after a late Cancel", []change{set(10, 1), cancel(12, true)}, [][2]int{{10, 13}}, 0, 1},
		{"Cancel is too late", []change{set(10, 1), cancel(12, false)}, [][2]int{{10, 13}}, 0, 0},
		{"Cancel says false too early", []change{set(10, 1), cancel(2, false)}, [][2]int{{10, 10}}, 0, 1},
		{"lost after Cancel said false", []change{set(10, 1), cancel(12, false)}, nil, 0, 1},
		{"moved", []change{set(10, 1), move(20, 2, true)}, [][2]int{{20, 20}}, 0, 0},
		{"moved and fires at both", []change{set(10, 1), move(20, 2, true)}, [][2]int{{10, 10}, {20, 20}}, 0, 1},
		{"moved and fires at the old one", []change{set(10, 1), move(20, 2, true)}, [][2]int{{10, 10}}, 0, 1},
		{"moved and lost", []change{set(10, 1), move(20, 2, true)}, nil, 1, 0},
		{"not moved and fires at the new one", []change{set(10, 1), move(20, 12, false)}, [][2]int{{10, 10}, {20, 20}}, 0, 1},
		{"replaced", []change{set(10, 1), set(20, 2)}, [][2]int{{20, 20}}, 0, 0},
		{"replaced in time and fires at both", []change{set(10, 1), set(20, 2)}, [][2]int{{10, 10}, {20, 20}}, 0, 1},
		{"replaced after it fired", []change{set(10, 1), set(20, 12)}, [][2]int{{10, 13}, {20, 20}}, 0, 0},
		{"set, unknown, fires", []change{unknown(set(10, 1))}, [][2]int{{10, 10}}, 0, 0},
		{"set, unknown, does not", []change{unknown(set(10, 1))}, nil, 0, 0},
		{"set again after unknown", []change{unknown(set(10, 1)), set(10, 2)}, [][2]int{{10, 10}}, 0, 0},
		{"set again after unknown, lost", []change{unknown(set(10, 1)), set(10, 2)}, nil, 1, 0},
		{"Cancel, unknown, fires", []change{set(10, 1), unknown(cancel(2, false))}, [][2]int{{10, 10}}, 0, 0},
		{"Cancel, unknown, does not", []change{set(10, 1), unknown(cancel(2, false))}, nil, 0, 0},
		{"move, unknown, both", []change{set(10, 1), unknown(move(20, 2, false))}, [][2]int{{10, 10}, {20, 20}}, 0, 1},
		{"move, unknown, the old one", []change{set(10, 1), unknown(move(20, 2, false))}, [][2]int{{10, 10}}, 0, 0},
		{"move, unknown, the new one", []change{set(10, 1), unknown(move(20, 2, false))}, [][2]int{{20, 20}}, 0, 0},
		{"move, unknown, neither", []change{set(10, 1), unknown(move(20, 2, false))}, nil, 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHistory()
			h.changes["key"] = test.changes
			for _, f := range test.fires {
				h.handle(handledLine{ID: change{deadline: at(f[0])}.id("key"), Key: "key", At: at(f[1])})
			}
			if v := h.judge(0); len(v.lost) != test.lost || len(v.wrong) != test.wrong {
				t.Errorf("%v: want %d lost, %d wrong", v, test.lost, test.wrong)
			}
		})
	}
}
