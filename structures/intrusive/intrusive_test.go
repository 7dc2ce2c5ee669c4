package intrusive_test

import (
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/intrusive"
	"github.com/timerbench/timerbench/structures/intrusive/heap"
	"github.com/timerbench/timerbench/structures/intrusive/hwheel"
	"github.com/timerbench/timerbench/structures/intrusive/linkedwheel"
)

// The conformance suite runs on each form with IDs, in the test of the form. Here are the rules that IDs hide.

func TestHwheel(t *testing.T) {
	form[hwheel.Timer[*conn]]{
		new:   func() intrusive.Structure[hwheel.Timer[*conn]] { return hwheel.New[*conn]() },
		value: func(t *hwheel.Timer[*conn]) **conn { return &t.Value },
		field: func(c *conn) *hwheel.Timer[*conn] { return &c.hwheel },
	}.test(t)
}

func TestLinkedwheel(t *testing.T) {
	form[linkedwheel.Timer[*conn]]{
		new:   func() intrusive.Structure[linkedwheel.Timer[*conn]] { return linkedwheel.New[*conn]() },
		value: func(t *linkedwheel.Timer[*conn]) **conn { return &t.Value },
		field: func(c *conn) *linkedwheel.Timer[*conn] { return &c.linkedwheel },
	}.test(t)
}

func TestHeap(t *testing.T) {
	form[heap.Timer[*conn]]{
		new:   func() intrusive.Structure[heap.Timer[*conn]] { return heap.New[*conn]() },
		value: func(t *heap.Timer[*conn]) **conn { return &t.Value },
		field: func(c *conn) *heap.Timer[*conn] { return &c.heap },
	}.test(t)
}

// conn is a struct of a caller, with a timer of each form.
type conn struct {
	name        string
	hwheel      hwheel.Timer[*conn]
	linkedwheel linkedwheel.Timer[*conn]
	heap        heap.Timer[*conn]
}

// form is a form of the second contract, whose timers are fields of a conn.
type form[N any] struct {
	new   func() intrusive.Structure[N]
	value func(*N) **conn
	field func(*conn) *N
}

func (f form[N]) test(t *testing.T) {
	for name, check := range map[string]func(form[N], *testing.T){
		"a timer of another structure panics": form[N].foreign,
		"a copy of a pending timer panics":    form[N].copied,
		"nil panics":                          form[N].null,
		"what is not pending is left alone":   form[N].idle,
		"Schedule moves a pending timer":      form[N].moves,
		"a timer is free after Pop":           form[N].reused,
		"collected after Cancel":              form[N].collected,
		"collected after moves":               form[N].collectedAfterMoves,
		"pending keeps a forgotten timer":     form[N].forgotten,
	} {
		t.Run(name, func(t *testing.T) { check(f, t) })
	}
}

// drain pops all timers that are due, and returns how many they were.
func (f form[N]) drain(s intrusive.Structure[N], now structures.Tick) (fired int) {
	for s.Pop(now) != nil {
		fired++
	}
	return fired
}

// refuses checks that each method panics with a message that says that a timer is not the structure's.
func (f form[N]) refuses(t *testing.T, s intrusive.Structure[N], timer *N) {
	t.Helper()
	for name, call := range map[string]func(){
		"Schedule":   func() { s.Schedule(timer, 9) },
		"Reschedule": func() { s.Reschedule(timer, 9) },
		"Cancel":     func() { s.Cancel(timer) },
	} {
		func() {
			defer func() {
				says, _ := recover().(string)
				if !strings.HasPrefix(says, "intrusive/") || !strings.Contains(says, "pending in another ") ||
					!strings.Contains(says, "a copy of a pending timer") {
					t.Errorf("%s panics with %q", name, says)
				}
			}()
			call()
		}()
	}
}

func (f form[N]) foreign(t *testing.T) {
	ours, theirs, timer := f.new(), f.new(), new(N)
	for range 3 {
		ours.Schedule(new(N), 4)
	}
	theirs.Schedule(timer, 5)
	f.refuses(t, ours, timer)
	checking.Sound(t, ours)
	checking.Sound(t, theirs)
	if ours.Len() != 3 || theirs.Pop(5) != timer {
		t.Error("the timer of another structure was changed")
	}
	ours.Schedule(timer, 6) // it is free now
	if f.drain(ours, 5) != 3 || ours.Pop(6) != timer {
		t.Error("a timer that fired in another structure is not usable")
	}
}

func (f form[N]) copied(t *testing.T) {
	s, timer, other := f.new(), new(N), new(N)
	s.Schedule(timer, 5)
	s.Schedule(other, 5)
	copied := new(N)
	*copied = *timer
	f.refuses(t, s, copied)
	checking.Sound(t, s)
	if f.drain(s, 5) != 2 {
		t.Error("a copy disturbed the timers")
	}
	f.refuses(t, s, copied)
	fresh := *timer // not pending: a copy is as good
	if s.Schedule(&fresh, 7); s.Pop(7) != &fresh {
		t.Error("a copy of a timer that fired is not usable")
	}
}

func (f form[N]) null(t *testing.T) {
	s := f.new()
	for name, call := range map[string]func(){
		"Schedule":   func() { s.Schedule(nil, 9) },
		"Reschedule": func() { s.Reschedule(nil, 9) },
		"Cancel":     func() { s.Cancel(nil) },
	} {
		func() {
			defer func() {
				if _, ok := recover().(runtime.Error); !ok || s.Len() != 0 {
					t.Errorf("%s of nil: no panic, or %d timers pending", name, s.Len())
				}
			}()
			call()
		}()
	}
}

func (f form[N]) idle(t *testing.T) {
	s, timer := f.new(), new(N)
	for _, when := range []string{"never scheduled", "cancelled", "fired"} {
		if s.Reschedule(timer, 5) || s.Cancel(timer) || s.Len() != 0 {
			t.Errorf("a timer that was %s is pending", when)
		}
		if at, ok := s.Next(); ok {
			t.Errorf("Next() = %d with no timer", at)
		}
		switch s.Schedule(timer, 1000); when {
		case "never scheduled":
			s.Cancel(timer)
		default:
			s.Pop(1000)
		}
	}
}

func (f form[N]) moves(t *testing.T) {
	s, timer := f.new(), new(N)
	for _, at := range []structures.Tick{7000, 500, 90_000, 90_000, 3} {
		s.Schedule(timer, at)
		checking.Sound(t, s)
		if got := f.deadline(timer); s.Len() != 1 || got != at {
			t.Fatalf("Len %d, deadline %d, want 1 and %d", s.Len(), got, at)
		}
	}
	if s.Pop(2) != nil || s.Pop(3) != timer || s.Pop(100_000) != nil {
		t.Error("a timer that was moved did not fire once, at its last deadline")
	}
}

func (f form[N]) deadline(timer *N) structures.Tick {
	return any(timer).(interface{ Deadline() structures.Tick }).Deadline()
}

func (f form[N]) reused(t *testing.T) {
	s, timers := f.new(), make([]N, 100)
	for i := range timers {
		s.Schedule(&timers[i], structures.Tick(1+i%10))
	}
	fired := 0
	for now := structures.Tick(1); now <= 1000; now += 1 + now%7 {
		for timer := s.Pop(now); timer != nil; timer = s.Pop(now) {
			if fired++; fired > 100_000 {
				t.Fatal("Pop never ends though each timer is scheduled for a later tick")
			}
			s.Schedule(timer, now+structures.Tick(fired%300)) // at now: the next tick
		}
		checking.Sound(t, s)
	}
	if s.Len() != 100 || fired < 500 {
		t.Errorf("%d timers fired, %d are pending", fired, s.Len())
	}
}

// forget schedules a timer of a conn that nobody else refers to.
//
//go:noinline
func (f form[N]) forget(s intrusive.Structure[N], at structures.Tick) weak.Pointer[conn] {
	c := &conn{name: "forgotten"}
	*f.value(f.field(c)) = c
	s.Schedule(f.field(c), at)
	return weak.Make(c)
}

// alive returns how many conns are left after a collection. A stack that was scanned early may
// keep one, so it tries again.
func alive(conns []weak.Pointer[conn], want int) (left int) {
	for range 4 {
		runtime.GC()
		left = 0
		for _, c := range conns {
			if c.Value() != nil {
				left++
			}
		}
		if left == want {
			break
		}
	}
	return left
}

func (f form[N]) collected(t *testing.T) {
	s := f.new()
	var conns []weak.Pointer[conn]
	held := make([]*N, 0, 50) // timers that the caller keeps, and cancels or fires
	for i := range 100 {
		at := structures.Tick(100 + i*i)
		conns = append(conns, f.forget(s, at))
		if i%2 == 0 {
			timer := new(N)
			s.Schedule(timer, at)
			held = append(held, timer)
		}
	}
	if left := alive(conns, 100); left != 100 {
		t.Errorf("%d of 100 pending conns are alive", left)
	}
	func() {
		for _, c := range conns[50:] {
			s.Cancel(f.field(c.Value()))
		}
	}()
	if left := alive(conns, 50); left != 50 {
		t.Errorf("%d conns are alive, want the 50 that are pending", left)
	}
	for _, timer := range held[25:] {
		s.Cancel(timer)
	}
	f.drain(s, 100+50*50)
	if left := alive(conns, 0); left != 0 {
		t.Errorf("%d conns are alive after all fired or were cancelled", left)
	}
	runtime.KeepAlive(held)
	runtime.KeepAlive(s)
}

// collectedAfterMoves ends the life of a timer that moved next to another one, as the links of either may lead to it.
func (f form[N]) collectedAfterMoves(t *testing.T) {
	var all []intrusive.Structure[N]
	var pending, ended []weak.Pointer[conn]
	for _, to := range []structures.Tick{3, 990, 1000, 4999, 5000, 5001, 70_000, 1 << 40} {
		for _, other := range []structures.Tick{990, 1000, 5000, 70_000} {
			for way := range 8 {
				s := f.new()
				cancelled, kept := f.forget(s, other), f.forget(s, 1000)
				if way&1 != 0 {
					cancelled, kept = kept, cancelled
				}
				moved := cancelled
				if way&2 != 0 {
					moved = kept
				}
				s.Reschedule(f.field(moved.Value()), to)
				if way&4 != 0 && s.Pop(1000) != nil { // which may look at what is not due any more
					continue
				}
				s.Cancel(f.field(cancelled.Value()))
				pending, ended, all = append(pending, kept), append(ended, cancelled), append(all, s)
			}
		}
	}
	if left := alive(ended, 0); left != 0 {
		t.Errorf("%d of %d timers that were cancelled are still referred to", left, len(ended))
	}
	if left := alive(pending, len(pending)); left != len(pending) {
		t.Errorf("%d of %d pending timers are alive", left, len(pending))
	}
	runtime.KeepAlive(all)
}

func (f form[N]) forgotten(t *testing.T) {
	s := f.new()
	c := f.forget(s, 70_000)
	runtime.GC()
	timer := s.Pop(70_000)
	if timer == nil || *f.value(timer) != c.Value() || (*f.value(timer)).name != "forgotten" {
		t.Error("a pending timer that its owner forgot did not fire")
	}
}
