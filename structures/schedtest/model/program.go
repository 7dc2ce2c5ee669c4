package model

import (
	"math"
	"math/rand/v2"

	"github.com/timerbench/timerbench/structures"
)

// The operations of a program. Each is a byte, which the bytes of its arguments follow.
const (
	DoSchedule = iota
	DoCancel
	DoReschedule
	DoStep
	DoToNext
	DoBeforeNext
	DoJump
	Operations
)

// The kinds of deadline in a program.
const (
	AtNear     = iota // up to 255 ticks after the clock
	AtMiddle          // up to 65535 ticks after it
	AtFar             // 2^k ticks after it, and its neighbours
	AtBoundary        // the next multiple of 2^k after it, and its neighbours
	AtPast            // up to 255 ticks before it
	AtExtreme         // the ends and the middle of the range of int64
	AtOther           // where another timer is, and its neighbours
)

// Dialect is the operations and the kinds of deadline of a program. A byte names one modulo their number.
type Dialect struct {
	Ops, Kinds []byte
	More       []func(*Player) // operations from Operations on
	Far, Jump  byte            // limits of deadlines of AtMiddle, AtFar and AtBoundary, and of jumps, in bits
}

// World executes operations. A Pop fires one timer. Next returns a tick. ok is false if the operation was refused, or did
// nothing. The lower 32 bits of a value are the slot of its timer.
type World interface {
	Model() *Model[uint64] // the clock and the pending timers
	Do(o Op) (at structures.Tick, ok bool)
}

// Player performs a program, which is any string of bytes. Bytes that are missing at its end read as 0.
type Player struct {
	World
	Dialect
	Program []byte // the rest
	used    uint32 // slots
}

// Step performs one operation.
func (p *Player) Step() {
	clock := p.Model().Clock
	switch op := p.Ops[int(p.Byte())%len(p.Ops)]; op {
	case DoSchedule:
		p.Schedule(p.Deadline())
	case DoCancel:
		p.Do(Op{Kind: Cancel, Slot: p.Pending()})
	case DoReschedule:
		p.Do(Op{Reschedule, p.Pending(), p.Deadline()})
	case DoStep:
		p.PopAll(Add(clock, 1+structures.Tick(p.Byte()%16)))
	case DoToNext, DoBeforeNext:
		if at, ok := p.Do(Op{Kind: Next}); ok && (p.Jump > 20 || at <= Add(clock, 1<<20)) {
			p.PopAll(Add(at, DoToNext-structures.Tick(op)))
		}
	case DoJump:
		p.PopAll(Neighbour(Add(clock, 1<<(p.Byte()%p.Jump)), p.Byte()))
	default:
		p.More[op-Operations](p)
	}
}

// Byte returns the next byte of the program.
func (p *Player) Byte() (b byte) {
	if len(p.Program) > 0 {
		b, p.Program = p.Program[0], p.Program[1:]
	}
	return b
}

// Schedule schedules a timer in a slot of its own.
func (p *Player) Schedule(deadline structures.Tick) {
	p.used++
	p.Do(Op{Schedule, p.used, deadline})
}

// PopAll fires all timers that are due.
func (p *Player) PopAll(now structures.Tick) {
	for ok := true; ok; {
		_, ok = p.Do(Op{Kind: Pop, At: now})
	}
}

// pick picks a pending timer, or returns nil if there is none.
func (p *Player) pick() *Entry[uint64] {
	n, pending := int(p.Byte()), p.Model().Pending
	if len(pending) == 0 {
		return nil
	}
	return &pending[n%len(pending)]
}

// Pending picks the slot of a pending timer, or slot 0 if there is none.
func (p *Player) Pending() uint32 {
	if e := p.pick(); e != nil {
		return uint32(e.Value)
	}
	return 0
}

// Deadline returns a deadline.
func (p *Player) Deadline() structures.Tick {
	clock := p.Model().Clock
	switch p.Kinds[int(p.Byte())%len(p.Kinds)] {
	case AtNear:
		return Add(clock, structures.Tick(p.Byte()))
	case AtMiddle:
		return Add(clock, (structures.Tick(p.Byte())<<8+structures.Tick(p.Byte()))&(1<<p.Far-1))
	case AtFar:
		return Neighbour(Add(clock, 1<<(p.Byte()%p.Far)), p.Byte())
	case AtBoundary: // where a wheel may cascade
		return Neighbour(Add(clock|(1<<(p.Byte()%p.Far)-1), 1), p.Byte())
	case AtPast:
		return Add(clock, -structures.Tick(p.Byte()))
	case AtExtreme:
		extremes := []structures.Tick{math.MinInt64, -1, 0, 1 << 62, math.MaxInt64}
		return Neighbour(extremes[int(p.Byte())%len(extremes)], p.Byte())
	}
	if e := p.pick(); e != nil {
		return Neighbour(e.Deadline, p.Byte())
	}
	return Add(clock, 1)
}

// Neighbour returns t, t+1 or t-1, depending on n.
func Neighbour(t structures.Tick, n byte) structures.Tick {
	return Add(t, [...]structures.Tick{0, 1, -1}[n%3])
}

// Add returns a+b, held at the ends of the range.
func Add(a, b structures.Tick) structures.Tick {
	switch sum := a + b; {
	case b > 0 && sum < a:
		return math.MaxInt64
	case b < 0 && sum > a:
		return math.MinInt64
	default:
		return sum
	}
}

// Random returns a program of n random bytes, the same for the same seed.
func Random(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 0x7f4a7c15))
	program := make([]byte, n)
	for i := range program {
		program[i] = byte(rng.Uint32())
	}
	return program
}
