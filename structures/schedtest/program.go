package schedtest

import (
	"math"
	"math/rand/v2"

	"github.com/timerbench/timerbench/structures"
)

// A program is any string of bytes, read as operations on a subject. The fuzz target and
// the random programs of Run use the same player.
//
// The first byte holds flags, the second says where the clock starts: at 0, or
// from startLater on at 2^k or next to it. After them each operation is a byte that names
// it and the bytes of its arguments. Bytes that are missing at the end read as 0.
const (
	flagNext  = 1 << iota // ask Next after every operation
	flagSteps             // at the end, step by Next instead of one jump
	flagWide              // with flagWide2: one step may move the clock anywhere,
	flagWide2             // so that it soon gets to the last tick

	startLater = 128
	narrow     = 20 // bits of the widest step otherwise
)

// The operations of a program. They keep a few dozen timers pending.
const (
	doSchedule = iota
	doSchedule2
	doSchedule3
	doBurst
	doSpread
	doCancel
	doReschedule
	doReschedule2
	doStale
	doForged
	doPopSome
	doPopHere
	doPopBack
	doStep
	doToNext
	doBeforeNext
	doJump
	doRestart
	opcodes
)

// The kinds of deadline in a program.
const (
	atNear     = iota // up to 255 ticks after the clock
	atMiddle          // up to 65535 ticks after it
	atFar             // 2^k ticks after it, and its neighbours
	atBoundary        // the next multiple of 2^k after it, and its neighbours
	atPast            // up to 255 ticks before it
	atExtreme         // the ends and the middle of the range of int64
	atOther           // where another timer is, and its neighbours
	deadlines
)

// dialect is the operations and the kinds of deadline of a program; none of them: all. A byte
// names one modulo their number. The flags are always set.
type dialect struct {
	ops, kinds []byte
	flags      byte
}

// player performs one program.
type player struct {
	*subject
	dialect
	program []byte
	stale   []structures.ID // the last IDs that went stale
}

// replay performs a whole program.
func replay(s *subject, d dialect, program []byte) {
	p := newPlayer(s, d, program)
	for p.step() {
	}
	p.end()
}

func newPlayer(s *subject, d dialect, program []byte) *player {
	p := &player{subject: s, dialect: d, program: program}
	if p.ops == nil {
		p.ops = upTo(opcodes)
	}
	if p.kinds == nil {
		p.kinds = upTo(deadlines)
	}
	p.flags |= p.byte()
	if start := p.byte(); start >= startLater {
		start -= startLater
		p.drain(p.neighbour(1<<(start%63), start/63))
	}
	return p
}

// step performs one operation, unless the program is at its end.
func (p *player) step() bool {
	if len(p.program) == 0 {
		return false
	}
	switch p.ops[int(p.byte())%len(p.ops)] {
	case doSchedule, doSchedule2, doSchedule3:
		p.schedule(p.deadline())
	case doBurst:
		p.burst(p.byte(), p.byte())
	case doSpread:
		p.spread(p.byte())
	case doCancel:
		if id := p.pending(); p.cancel(id) {
			p.retire(id)
		}
	case doReschedule, doReschedule2:
		p.reschedule(p.pending(), p.deadline())
	case doStale:
		p.refuse(p.staleID())
	case doForged:
		for _, id := range forge(p.pending(), p.staleID()) {
			if p.model.find(id) < 0 {
				p.refuse(id)
			}
		}
	case doPopSome:
		p.popSome(add(p.clock(), structures.Tick(p.byte())))
	case doPopHere:
		p.popSome(p.clock())
	case doPopBack:
		p.popSome(add(p.clock(), -1<<(p.byte()%64)))
	case doStep:
		p.popAll(add(p.clock(), 1+structures.Tick(p.byte()%16)))
	case doToNext:
		if at, ok := p.next(); ok && p.near(at) {
			p.popAll(at)
		}
	case doBeforeNext:
		if at, ok := p.next(); ok && p.near(at) {
			p.popAll(add(at, -1))
		}
	case doJump:
		p.popAll(p.neighbour(add(p.clock(), 1<<p.jumpBits()), p.byte()))
	case doRestart:
		p.restart(add(p.clock(), structures.Tick(p.byte())), add(p.clock(), -structures.Tick(p.byte())))
	}
	if p.flags&flagNext != 0 {
		p.next()
	}
	return true
}

// end fires the timers that the program leaves pending.
func (p *player) end() {
	if p.flags&flagSteps != 0 {
		p.stepAll()
	}
	p.finish()
}

func (p *player) byte() byte {
	if len(p.program) == 0 {
		return 0
	}
	b := p.program[0]
	p.program = p.program[1:]
	return b
}

func (p *player) wide() bool { return p.flags&(flagWide|flagWide2) == flagWide|flagWide2 }

func (p *player) near(at structures.Tick) bool { return p.wide() || at <= add(p.clock(), 1<<narrow) }

func (p *player) jumpBits() byte {
	if p.wide() {
		return p.byte() % 63
	}
	return p.byte() % narrow
}

// burst schedules up to 16 timers a power of two apart, or all at one tick.
func (p *player) burst(n, apart byte) {
	width := structures.Tick(1) << (apart % 40) >> 1
	for i := range structures.Tick(n%16 + 1) {
		p.schedule(add(p.clock(), 1+i*width))
	}
}

// spread schedules timers at all powers of two or next to them, unless there are many.
func (p *player) spread(n byte) {
	for bits := 0; bits < 63 && p.model.Len() < 200; bits++ {
		p.schedule(p.neighbour(add(p.clock(), 1<<bits), n+byte(bits)))
	}
}

// restart pops all that is due, and has each timer that fires schedule one and move one to a
// deadline in the past: neither is due in this tick.
func (p *player) restart(now, past structures.Tick) {
	for left := p.model.Len(); left > 0; left-- {
		if _, ok := p.pop(now); !ok {
			break
		}
		p.schedule(past)
		p.reschedule(p.model.pending[0].ID, past)
	}
	if now < math.MaxInt64 {
		p.popAll(now)
	}
}

// popSome pops a few timers, as many as a byte says, and stops early.
func (p *player) popSome(now structures.Tick) {
	for range p.byte()%8 + 1 {
		t, ok := p.pop(now)
		if !ok {
			return
		}
		p.retire(t.ID)
	}
}

func (p *player) popAll(now structures.Tick) {
	for {
		t, ok := p.pop(now)
		if !ok {
			return
		}
		p.retire(t.ID)
	}
}

// pending picks one of the pending timers, or the zero ID when there is none.
func (p *player) pending() structures.ID {
	n := p.byte()
	if p.model.Len() == 0 {
		return 0
	}
	return p.model.pending[int(n)%p.model.Len()].ID
}

func (p *player) retire(id structures.ID) {
	const kept = 64
	if len(p.stale) == kept {
		p.stale = p.stale[1:]
	}
	p.stale = append(p.stale, id)
}

func (p *player) staleID() structures.ID {
	n := p.byte()
	if len(p.stale) == 0 {
		return 0
	}
	return p.stale[int(n)%len(p.stale)]
}

// refuse uses an ID that most likely names nothing, in either way.
func (p *player) refuse(id structures.ID) {
	if p.byte()%2 == 0 {
		p.cancel(id)
	} else {
		p.reschedule(id, p.deadline())
	}
}

func (p *player) deadline() structures.Tick {
	switch p.kinds[int(p.byte())%len(p.kinds)] {
	case atNear:
		return add(p.clock(), structures.Tick(p.byte()))
	case atMiddle:
		return add(p.clock(), structures.Tick(p.byte())<<8+structures.Tick(p.byte()))
	case atFar:
		return p.neighbour(add(p.clock(), 1<<(p.byte()%63)), p.byte())
	case atBoundary:
		return p.neighbour(boundary(p.clock(), p.byte()%63), p.byte())
	case atPast:
		return add(p.clock(), -structures.Tick(p.byte()))
	case atExtreme:
		extremes := []structures.Tick{math.MinInt64, -1, 0, 1 << 62, math.MaxInt64}
		return p.neighbour(extremes[int(p.byte())%len(extremes)], p.byte())
	default: // atOther
		i := p.model.find(p.pending())
		if i < 0 {
			return add(p.clock(), 1)
		}
		return p.neighbour(p.model.pending[i].Deadline, p.byte())
	}
}

// neighbour returns t, t+1 or t-1, depending on n.
func (p *player) neighbour(t structures.Tick, n byte) structures.Tick {
	return add(t, [...]structures.Tick{0, 1, -1}[n%3])
}

// boundary returns the first multiple of 2^bits after t, where a wheel may cascade.
func boundary(t structures.Tick, bits byte) structures.Tick { return add(t|(1<<bits-1), 1) }

// forge returns IDs that were most likely not issued: constants, and changed copies of some that were.
func forge(issued ...structures.ID) []structures.ID {
	ids := []structures.ID{
		0, 1, 2, 1 << 32, 1<<32 | 1, 2<<32 | 1, 1<<32 | 2, 1 << 63,
		math.MaxUint32, math.MaxUint32 << 32, math.MaxInt64, math.MaxUint64,
		0x9e3779b97f4a7c15, 0xd1b54a32d192ed03,
	}
	for _, id := range issued {
		ids = append(ids,
			id+1, id-1, id+2, ^id, -id, id<<32|id>>32,
			id+1<<32, id+2<<32, id-1<<32, id-2<<32, // its slot in other generations
			id&math.MaxUint32, id&(math.MaxUint32<<32), id|1<<31, id|1<<63,
		)
	}
	return ids
}

// seeds returns the programs from which a fuzz run starts.
func seeds() [][]byte {
	const all = flagNext | flagSteps | flagWide | flagWide2
	programs := [][]byte{
		{},
		// Stop early, then schedule into the past and move what is due.
		{all, 0, doSchedule, atNear, 3, doSchedule, atNear, 5, doSchedule, atNear, 5, doPopSome, 9, 0,
			doSchedule, atPast, 9, doReschedule, 0, atNear, 1, doReschedule, 1, atPast, 0, doPopHere, 7, doStep, 0},
		// A slot is used again; the IDs that named it are tried.
		{flagNext, 0, doSchedule, atNear, 2, doStep, 5, doSchedule, atNear, 200, doStale, 0, 0, doStale, 0, 1, atNear, 1,
			doForged, 0, 0, 20, 0, doForged, 0, 0, 21, 1, atPast, 3, doCancel, 0, doSchedule, atNear, 1, doStale, 1, 0},
		// The ends of the range, with the clock just below them.
		{all, startLater + 62, doSchedule, atExtreme, 0, 0, doSchedule, atExtreme, 4, 0, doSchedule, atExtreme, 4, 2, doJump, 62, 2,
			doSchedule, atPast, 1, doSchedule, atFar, 62, 1, doToNext, doBeforeNext, doPopBack, 63, 1},
	}
	// A timer on either side of each boundary, moved across it and back.
	for bits := byte(4); bits < 63; bits += 6 {
		programs = append(programs, []byte{all, startLater + bits,
			doSchedule, atBoundary, bits, 2, doSchedule, atBoundary, bits, 0, doSchedule, atFar, bits, 1,
			doReschedule, 0, atBoundary, bits, 1, doReschedule, 1, atBoundary, bits, 2, doBeforeNext, doToNext,
			doJump, bits, 2, doSchedule, atOther, 0, 0, doPopBack, 3, 1})
	}
	for seed := range uint64(8) {
		programs = append(programs, randomProgram(seed, 160))
	}
	return programs
}

// upTo returns the bytes from 0 to n-1.
func upTo(n byte) []byte {
	all := make([]byte, n)
	for i := range all {
		all[i] = byte(i)
	}
	return all
}

// randomProgram returns n random bytes, the same for the same seed.
func randomProgram(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 0x7f4a7c15))
	program := make([]byte, n)
	for i := range program {
		program[i] = byte(rng.Uint32())
	}
	return program
}
