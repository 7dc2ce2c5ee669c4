package external

import "math/rand/v2"

// perBatch is the number of generated programs that one instance replays (chosen).
const perBatch = 100

// batch returns generated programs of operations, one after the other on one clock. Each begins and ends without
// pending timers.
func batch(seed uint64) []op {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0)), m: newModel()}
	for range perBatch {
		g.program()
	}
	return g.ops
}

type generator struct {
	r       *rand.Rand
	m       *model
	ops     []op
	pending []uint32
	free    []uint32
	slots   uint32
}

func (g *generator) do(o op) {
	g.ops = append(g.ops, o)
	g.m.do(o, 0)
	if o.kind == pop || o.kind == cancel {
		kept := g.pending[:0]
		for _, slot := range g.pending {
			if g.m.timers[slot].pending {
				kept = append(kept, slot)
			} else {
				g.free = append(g.free, slot)
			}
		}
		g.pending = kept
	}
}

// program appends a program of up to 60 operations on delays of one magnitude.
func (g *generator) program() {
	bits := 1 + g.r.IntN(14)
	if g.r.IntN(10) == 0 {
		bits = 15 + g.r.IntN(6)
	}
	for range 1 + g.r.IntN(60) {
		switch n := g.r.IntN(100); {
		case n < 40 || len(g.pending) == 0:
			slot, at := g.slots, g.deadline(bits)
			if last := len(g.free) - 1; last >= 0 {
				slot, g.free = g.free[last], g.free[:last]
			} else {
				g.slots++
			}
			g.pending = append(g.pending, slot)
			g.do(op{schedule, slot, at})
		case n < 55:
			g.do(op{cancel, g.any(), 0})
		case n < 75:
			g.do(op{reschedule, g.any(), g.deadline(bits)})
		default:
			g.do(op{pop, 0, g.jump(bits)})
		}
	}
	last := g.m.now + 1
	for _, slot := range g.pending {
		last = max(last, g.m.timers[slot].deadline)
	}
	g.do(op{pop, 0, last})
}

func (g *generator) any() uint32 { return g.pending[g.r.IntN(len(g.pending))] }

// deadline returns a tick after the clock: next to it, at any delay, at the boundary of a level, or that of another timer.
func (g *generator) deadline(bits int) tick {
	at := g.m.now + 1 + tick(g.r.Int64N(1<<bits))
	switch g.r.IntN(6) {
	case 0:
		at = g.m.now + 1 + tick(g.r.Int64N(4))
	case 1:
		boundary := tick(1) << g.r.IntN(bits+1)
		at = (g.m.now/boundary+1+tick(g.r.Int64N(2)))*boundary + tick(g.r.Int64N(3)) - 1
	case 2:
		if len(g.pending) > 0 {
			at = g.m.timers[g.any()].deadline
		}
	}
	return max(at, g.m.now+1)
}

// jump returns the tick of a pop: the next one, a little later, at or around a deadline, or over all.
func (g *generator) jump(bits int) tick {
	switch g.r.IntN(6) {
	case 0:
		return g.m.now + 1
	case 1:
		return g.m.now + 1 + tick(g.r.Int64N(1<<bits))
	case 2:
		return g.m.now + tick(1)<<bits
	}
	if len(g.pending) == 0 {
		return g.m.now + 1
	}
	return max(g.m.now+1, g.m.timers[g.any()].deadline+tick(g.r.Int64N(3))-1)
}
