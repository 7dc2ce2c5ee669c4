package costs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/timerbench/timerbench/structures"
)

// load is a scheduler under the patterns, and what it holds.
type load struct {
	s      structures.Scheduler[uint64]
	n      int
	few    bool // few different deadlines or delays
	now    structures.Tick
	timers []timer // by value
	turn   int     // timers that were the oldest and have been started again
	random *rand.Rand
	meter  meter
	counts []Count
}

// timer is a pending timer.
type timer struct {
	id       structures.ID
	deadline structures.Tick
}

// measure runs f, which takes a number of turns, and adds what they cost to the count of
// the pattern. A pattern without a name is not counted.
func (l *load) measure(pattern string, ops Ops, turns int, f func()) {
	if pattern == "" {
		f()
		return
	}
	i := slices.IndexFunc(l.counts, func(c Count) bool { return c.Pattern == pattern && c.Ops == ops })
	if i < 0 {
		i = len(l.counts)
		l.counts = append(l.counts, Count{Pattern: pattern, Ops: ops, Few: l.few, N: l.n})
	}
	work, blocks := l.work(), l.meter.read()
	f()
	c := &l.counts[i]
	c.Blocks += uint64(l.meter.read() - blocks)
	c.Work += l.work() - work
	c.Turns += turns
}

// work returns the sum of the structure's own counters.
func (l *load) work() uint64 {
	counted, ok := l.s.(interface{ Work() structures.Work })
	if !ok {
		return 0
	}
	w := counted.Work()
	return w.SlotsVisited + w.Moved + w.Dropped + w.Comparisons
}

func (l *load) schedule(value int, deadline structures.Tick) {
	l.timers[value] = timer{l.s.Schedule(deadline, uint64(value)), deadline}
}

func (l *load) move(value int, deadline structures.Tick) {
	if !l.s.Reschedule(l.timers[value].id, deadline) {
		panic(fmt.Sprintf("costs: timer %d is not pending", value))
	}
	l.timers[value].deadline = deadline
}

func (l *load) cancel(value int) {
	if !l.s.Cancel(l.timers[value].id) {
		panic(fmt.Sprintf("costs: timer %d is not pending", value))
	}
}

// next asks for the next tick, as a driver does before it waits.
func (l *load) next() { l.s.Next() }

// pop lets the clock go from one tick that Next names to another until a timer fires.
func (l *load) pop() (value int) {
	for {
		at, ok := l.s.Next()
		if !ok {
			panic("costs: nothing is pending")
		}
		l.now = max(l.now, at)
		if t, ok := l.s.Pop(l.now); ok {
			return int(t.Value)
		}
	}
}

// tick moves the clock by some ticks. No timer is due.
func (l *load) tick(ticks structures.Tick) {
	l.now += ticks
	if t, ok := l.s.Pop(l.now); ok {
		panic(fmt.Sprintf("costs: timer %d fires at tick %d", t.Value, l.now))
	}
}

// delay returns a random delay.
func (l *load) delay() structures.Tick { return 1 + structures.Tick(l.random.Int64N(int64(span))) }

// any returns n random timers.
func (l *load) any(n int) []int { return l.random.Perm(l.n)[:n] }

// earliest returns the first n timers by deadline.
func (l *load) earliest(n int) []int { return l.byDeadline()[:n] }

// oldest returns the n timers that were started first, of timers that are all started in
// turn, by value.
func (l *load) oldest(n int) []int {
	values := make([]int, n)
	for i := range values {
		values[i] = l.turn % l.n
		l.turn++
	}
	return values
}

// latest returns the last n timers by deadline, the latest first.
func (l *load) latest(n int) []int {
	order := l.byDeadline()
	slices.Reverse(order)
	return order[:n]
}

// byDeadline returns the timers, the earliest first.
func (l *load) byDeadline() []int {
	order := make([]int, l.n)
	for v := range order {
		order[v] = v
	}
	// Package sort, as the code of package slices is counted, which makes it slow.
	sort.Slice(order, func(i, j int) bool { return l.timers[order[i]].deadline < l.timers[order[j]].deadline })
	return order
}
