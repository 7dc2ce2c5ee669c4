package tracestat

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
)

// The ways in which a process wakes up for timers that were moved.
const (
	OnTime = iota // as Go's runtime does
	Lazily        // as package driver does: a timer that is moved to later stays where it is, until it would have fired
)

// held returns 0 for a form of functions, 1 for channels, and -1 for deadlines and sleeps, which package driver cannot hold.
func held(f trace.Form) int {
	switch f {
	case trace.ChannelForm:
		return 1
	case trace.DeadlineForm, trace.SleepForm:
		return -1
	}
	return 0
}

// wakes counts the wake-ups of a process without a queue: the one at an old deadline of a timer is found at the next call on
// that timer.
//
// Go leaves a timer that is moved in its place. The process wakes up at the old deadline, and the timer gets its new place
// then. Go also wakes up at the earliest deadline that a timer was moved to, and gives all moved timers their places
// (runtime/time.go, Go 1.26). Stopped timers wake nobody: Go drops them when it sets another timer.
type wakes struct {
	round    structures.Tick // deadlines are rounded up to multiples of it
	by       [2]wakeups
	moved    []*pending // on package time, since moved timers last got their places
	minMoved structures.Tick
}

func newWakes(round structures.Tick) wakes {
	w := wakes{round: max(1, round), minMoved: math.MaxInt64}
	for way := range w.by {
		w.by[way].seen = map[structures.Tick]*[8]uint64{}
	}
	return w
}

// wakeups are the wake-ups of a process in one of the ways.
type wakeups struct {
	seen  map[structures.Tick]*[8]uint64 // a bit for each tick with a wake-up
	sites []float64                      // by number
}

// wake counts a wake-up at a tick, unless there was one before. The timers share it.
func (w *wakeups) wake(at structures.Tick, share float64, timers ...*pending) {
	page := w.seen[at>>9]
	if page == nil {
		page = new([8]uint64)
		w.seen[at>>9] = page
	}
	word, bit := &page[at>>6&7], uint64(1)<<(at&63)
	if *word&bit != 0 {
		return
	}
	*word |= bit
	for _, t := range timers {
		for len(w.sites) <= int(t.site) {
			w.sites = append(w.sites, 0)
		}
		w.sites[t.site] += share
	}
}

func (w *wakeups) of(site int) float64 {
	if site < len(w.sites) {
		return w.sites[site]
	}
	return 0
}

// rounded returns a tick, rounded up.
func (w *wakes) rounded(at structures.Tick) structures.Tick {
	if over := at % w.round; over > 0 && at < math.MaxInt64-w.round {
		at += w.round - over
	}
	return at
}

// set gives a timer its place.
func (w *wakes) set(t *pending) {
	at := w.rounded(t.deadline)
	t.place = [2]structures.Tick{at, at}
}

// move moves a timer.
func (w *wakes) move(t *pending, deadline, clock structures.Tick) {
	w.settle(t, clock)
	t.deadline = deadline
	to := w.rounded(deadline)
	t.place[Lazily] = min(t.place[Lazily], to)
	w.minMoved = min(w.minMoved, to)
	if !t.moved {
		t.moved, w.moved = true, append(w.moved, t)
	}
}

// settle counts the wake-ups at the old deadlines of a timer, if they have come.
func (w *wakes) settle(t *pending, clock structures.Tick) {
	for way := range w.by {
		w.vain(t, way, clock)
	}
}

func (w *wakes) vain(t *pending, way int, clock structures.Tick) {
	if at, deadline := t.place[way], w.rounded(t.deadline); at <= clock && at < deadline {
		w.by[way].wake(at, 1, t)
		t.place[way] = deadline
	}
}

// advance counts the wake-ups until the timers fire that are due at a tick.
func (w *wakes) advance(to structures.Tick) {
	if w.minMoved > to {
		return
	}
	woken := false
	for _, t := range w.moved {
		if t.pending && t.moved {
			w.vain(t, OnTime, w.minMoved)
			t.place[OnTime], t.moved = w.rounded(t.deadline), false
			if !woken {
				w.by[OnTime].wake(w.minMoved, 1, t)
				woken = true
			}
		}
	}
	w.moved, w.minMoved = w.moved[:0], math.MaxInt64
}
