package advise

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/structures/quadheap"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// Change is a change to what a program does with its timers. The zero Change is the present.
type Change struct {
	Lazy   bool          // a move to a later deadline waits until the old deadline
	Tick   time.Duration // deadlines are rounded up to multiples of Tick; 0: they are not
	Spread float64       // each delay grows by a random share of itself, at most by this one
}

// class says what could replace a timer.
type class uint8

const (
	own    class = iota // a function, or a channel that a goroutine waits for: the driver can replace it
	unread              // a channel that nobody waits for, which is not in Go's heap: the driver can replace it
	kept                // a deadline, sleep or ticker, which Go sets again and again: the driver cannot replace it
	classes
)

// step is one call on a timer.
type step struct {
	to    structures.Tick // set, move: the deadline
	key   uint32
	kind  stepKind
	class class
}

type stepKind uint8

const (
	set stepKind = iota
	move
	stop // stopped, or fired
)

// script is what a structure is asked to do for a program, with a change.
type script struct {
	Steps   []step
	Rest    []step // stop the timers that are pending at the end
	Keys    int
	Most    [classes]int // pending timers, when most of the classes own and unread were pending
	Ticks   structures.Tick
	Partial bool // the trace is longer

	Wakeups uint64
	BySite  []float64 // wake-ups by site of the trace; sites that fire at the same one share it
	Fired   uint64
	AtOnce  int     // most timers that fire at one wake-up
	Late    float64 // mean time from the deadline that the program asked for to the firing, in ns
	Latest  float64
}

// bySite returns the wake-ups of a site, which may come after the part of the trace that is in the script.
func (s *script) bySite(site int) float64 {
	if site >= len(s.BySite) {
		return 0
	}
	return s.BySite[site]
}

// mostOperations bounds the operations of a trace that are replayed, and with it the memory: 16 bytes for
// each of them. It is chosen: seconds for a replay.
const mostOperations = 2_000_000

// writer turns a trace into a script, and simulates when the process wakes up.
//
// Go leaves a timer that is moved or stopped at its place in the heap (runtime/time.go, Go 1.26). It wakes up at the
// old deadline of the first timer, and at the earliest deadline that a timer was moved to; then it puts all moved
// timers in order. It removes stopped timers when they are more than a quarter. The driver leaves only timers that are
// moved to later in place, and wakes up when auto has to rearrange its timers.
type writer struct {
	script
	change   Change
	driver   bool
	tick     structures.Tick
	random   *rand.Rand
	due      structures.Scheduler[uint32]
	timers   []scripted // by key of the script
	free     []uint32
	keys     []uint32 // by key of the trace: the key in the script
	now      [classes]int
	late     float64
	moved    []uint32        // in Go's heap
	minMoved structures.Tick // the earliest deadline that one of them was moved to
	stopped  []uint32        // in Go's heap
	sites    []int           // of the timers that a wake-up is for
}

// scripted is a timer of the script.
type scripted struct {
	id       structures.ID
	asked    structures.Tick // the deadline that the program asked for
	deadline structures.Tick // with the change
	place    structures.Tick // in the structure
	site     int
	class    class
	pending  bool
	stopped  bool // in Go's heap
}

// newScript reads a trace. It counts the wake-ups of package driver if driver is set, and else the wake-ups of Go's timers.
func newScript(path string, s *tracestat.Summary, change Change, driver bool) (*script, error) {
	r, err := trace.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // it is only read
	w := &writer{change: change, driver: driver, random: rand.New(rand.NewPCG(1, 1)), due: quadheap.New[uint32](), minMoved: math.MaxInt64,
		script: script{BySite: make([]float64, 1)}} // the site that is not known
	if driver {
		w.due = auto.New[uint32]()
	}
	if w.tick = structures.Tick(change.Tick / s.Header.Tick); change.Tick%s.Header.Tick > 0 || w.tick == 0 {
		w.tick++
	}
	classOf := classesOf(s)
	var clock, first structures.Tick
	advanced := false
	for n := 0; ; n++ {
		op, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if n == mostOperations {
			w.Partial = true
			break
		}
		switch op.Kind {
		case trace.Schedule:
			if op.Site == len(w.BySite) {
				w.BySite = append(w.BySite, 0)
			}
			w.schedule(op, clock, classOf(r.Sites()[op.Site].Form))
		case trace.Reschedule:
			w.reschedule(op, clock)
		case trace.Cancel:
			w.stop(w.keys[op.Key])
		case trace.Advance:
			w.advance(op.At)
			if clock = op.At; !advanced {
				advanced, first = true, clock
			}
		}
	}
	for key, t := range w.timers {
		if t.pending {
			w.Rest = append(w.Rest, step{kind: stop, key: uint32(key), class: t.class})
		}
	}
	w.Keys, w.Ticks = len(w.timers), clock-first
	if w.Fired > 0 {
		w.Late = w.late / float64(w.Fired) * float64(s.Header.Tick)
	}
	w.Latest *= float64(s.Header.Tick)
	for i := range w.Steps { // deadlines since the beginning
		w.Steps[i].to -= first
	}
	return &w.script, nil
}

// classesOf returns the classes of timers, one after the other, by form.
func classesOf(s *tracestat.Summary) func(trace.Form) class {
	share, sum := s.UnreadShare(), 0.0
	return func(f trace.Form) class {
		switch f {
		case trace.DeadlineForm, trace.SleepForm, trace.TickerForm:
			return kept
		case trace.ChannelForm:
			if sum += share; sum >= 1 {
				sum--
				return unread
			}
		}
		return own
	}
}

// changed returns a deadline with the change.
func (w *writer) changed(deadline, clock structures.Tick) structures.Tick {
	delay := float64(deadline - clock)
	if w.change.Spread > 0 && delay < math.MaxInt64/4 {
		deadline += min(structures.Tick(math.Round(w.random.Float64()*w.change.Spread*delay)), math.MaxInt64-deadline)
	}
	if over := deadline % w.tick; over > 0 && deadline < math.MaxInt64-w.tick {
		deadline += w.tick - over
	}
	return deadline
}

func (w *writer) schedule(op trace.Op, clock structures.Tick, c class) {
	var key uint32
	if n := len(w.free); n > 0 {
		key, w.free = w.free[n-1], w.free[:n-1]
	} else {
		key = uint32(len(w.timers))
		w.timers = append(w.timers, scripted{})
	}
	if int(op.Key) == len(w.keys) {
		w.keys = append(w.keys, 0)
	}
	w.keys[op.Key] = key
	w.timers[key] = scripted{asked: op.At, deadline: w.changed(op.At, clock), site: op.Site, class: c, pending: true}
	w.place(key)
	w.Steps = append(w.Steps, step{w.timers[key].place, key, set, c})
	w.now[c]++
	if w.now[own]+w.now[unread] >= w.Most[own]+w.Most[unread] {
		w.Most = w.now
	}
}

// place puts a timer into the structure.
func (w *writer) place(key uint32) {
	t := &w.timers[key]
	t.place, t.id = t.deadline, w.due.Schedule(t.deadline, key)
}

func (w *writer) reschedule(op trace.Op, clock structures.Tick) {
	key := w.keys[op.Key]
	t := &w.timers[key]
	t.asked, t.deadline = op.At, w.changed(op.At, clock)
	later := t.deadline >= t.place
	if w.change.Lazy && later {
		return // the program makes no call
	}
	w.Steps = append(w.Steps, step{t.deadline, key, move, t.class})
	switch {
	case w.driver && later && t.class != kept:
	case w.driver || w.change.Lazy:
		t.place = t.deadline
		w.due.Reschedule(t.id, t.place)
	default:
		w.moved, w.minMoved = append(w.moved, key), min(w.minMoved, t.deadline)
	}
}

func (w *writer) stop(key uint32) {
	t := &w.timers[key]
	w.end(key)
	if w.driver {
		w.due.Cancel(t.id)
		w.free = append(w.free, key)
		return
	}
	t.stopped = true
	w.stopped = append(w.stopped, key)
}

// end writes that a timer is stopped or has fired.
func (w *writer) end(key uint32) {
	t := &w.timers[key]
	w.Steps = append(w.Steps, step{kind: stop, key: key, class: t.class})
	w.now[t.class]--
	t.pending = false
}

// remove removes the stopped timers from Go's heap.
func (w *writer) remove() {
	for _, key := range w.stopped {
		if t := &w.timers[key]; t.stopped {
			w.due.Cancel(t.id)
			t.stopped = false
			w.free = append(w.free, key)
		}
	}
	w.stopped = w.stopped[:0]
}

// adjust puts the moved timers in order in Go's heap.
func (w *writer) adjust() {
	for _, key := range w.moved {
		if t := &w.timers[key]; t.pending && t.place != t.deadline {
			t.place = t.deadline
			w.due.Reschedule(t.id, t.place)
		}
	}
	w.moved, w.minMoved = w.moved[:0], math.MaxInt64
	w.remove()
}

// advance wakes up at each tick at which there is something to do.
func (w *writer) advance(to structures.Tick) {
	if 4*len(w.stopped) > w.due.Len() {
		w.remove()
	}
	for {
		at, ok := w.due.Next()
		if !ok {
			at = math.MaxInt64
		}
		if at = min(at, w.minMoved); at > to || at == math.MaxInt64 {
			break
		}
		if w.minMoved <= at {
			w.adjust()
		}
		w.wake(at)
	}
	w.due.Pop(to)
}

// wake fires the timers that are due at a tick.
func (w *writer) wake(at structures.Tick) {
	w.sites = w.sites[:0]
	fired := 0
	for timer := range structures.Due(w.due, at) {
		key := timer.Value
		t := &w.timers[key]
		if t.class != unread || w.driver {
			w.sites = append(w.sites, t.site)
		}
		switch {
		case t.stopped:
			t.stopped = false
			w.free = append(w.free, key)
		case t.deadline > at:
			w.place(key)
			if w.change.Lazy {
				w.Steps = append(w.Steps, step{t.place, key, move, t.class})
			}
		default:
			fired++
			late := float64(at - t.asked)
			w.late += late
			w.Latest = max(w.Latest, late)
			w.end(key)
			w.free = append(w.free, key)
		}
	}
	w.Fired += uint64(fired)
	w.AtOnce = max(w.AtOnce, fired)
	for _, site := range w.sites {
		w.BySite[site] += 1 / float64(len(w.sites))
	}
	if len(w.sites) > 0 || w.driver || fired == 0 {
		w.Wakeups++
	}
}
