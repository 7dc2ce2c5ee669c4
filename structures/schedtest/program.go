package schedtest

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest/model"
)

// A program of a structure begins with a byte of flags. A second byte says where the clock starts: at 0, or from startLater
// on at 2^k or next to it. The operations of package model, and these, follow.
const (
	flagNext  = 1 << iota // ask Next after every operation
	flagSteps             // at the end, step by Next instead of one jump
	flagWide              // with flagWide2: one step may move the clock anywhere,
	flagWide2             // so that it soon gets to the last tick

	startLater = 128
)

// The operations and the kinds of deadline of package model.
const (
	doSchedule, doCancel, doReschedule                = model.DoSchedule, model.DoCancel, model.DoReschedule
	doStep, doToNext, doBeforeNext, doJump            = model.DoStep, model.DoToNext, model.DoBeforeNext, model.DoJump
	near, middle, far, boundary, past, extreme, other = model.AtNear, model.AtMiddle, model.AtFar, model.AtBoundary, model.AtPast, model.AtExtreme, model.AtOther
)

// The operations in addition to those of package model. doCrowd keeps as many timers pending as the subject has room for, the others
// a few dozen.
const (
	doBurst = model.Operations + iota
	doSpread
	doStale
	doForged
	doPopSome
	doPopHere
	doPopBack
	doRestart
	doCrowd
)

// dialect is the operations and the kinds of deadline of a program; none of them: all. The flags are always set.
type dialect struct {
	ops, kinds []byte
	flags      byte
}

// everything is all operations and kinds.
var everything = dialect{
	ops: []byte{
		doSchedule, doCancel, doReschedule, doStep, doToNext, doBeforeNext, doJump,
		doBurst, doSpread, doStale, doForged, doPopSome, doPopHere, doPopBack, doRestart, doCrowd,
		doSchedule, doSchedule, doReschedule,
	},
	kinds: []byte{near, middle, far, boundary, past, extreme, other},
}

// player performs one program on a subject.
type player struct {
	*model.Player
	s     *subject
	flags byte
}

func newPlayer(s *subject, d dialect, program []byte) *player {
	more := []func(*model.Player){burst, spread, stale, forged, popSome, popHere, popBack, restart, crowded}
	p := &player{&model.Player{World: s, Program: program, Dialect: model.Dialect{Ops: d.ops, Kinds: d.kinds, More: more, Far: 63, Jump: 20}}, s, d.flags}
	if p.Kinds == nil {
		p.Kinds = everything.kinds
	}
	if p.flags |= p.Byte(); p.flags&(flagWide|flagWide2) == flagWide|flagWide2 {
		p.Jump = 63
	}
	if start := p.Byte(); start >= startLater {
		start -= startLater
		p.PopAll(model.Neighbour(1<<(start%63), start/63))
	}
	return p
}

// step performs one operation, unless the program is at its end.
func (p *player) step() bool {
	if len(p.Program) == 0 {
		return false
	}
	if p.Step(); p.flags&flagNext != 0 {
		p.s.next()
	}
	return true
}

// end fires the timers that the program leaves pending.
func (p *player) end() {
	if p.flags&flagSteps != 0 {
		p.s.stepAll()
	}
	p.s.inBulk(p.s.finish)
}

// replay performs a whole program.
func replay(s *subject, d dialect, program []byte) {
	p := newPlayer(s, d, program)
	for p.step() {
	}
	p.end()
}

// burst schedules up to 16 timers a power of two apart, or all at one tick.
func burst(p *model.Player) {
	n, apart := p.Byte(), p.Byte()
	width := structures.Tick(1) << (apart % 40) >> 1
	for i := range structures.Tick(n%16 + 1) {
		p.Schedule(model.Add(p.Model().Clock, 1+i*width))
	}
}

// spread schedules timers at all powers of two or next to them, unless there are many.
func spread(p *model.Player) {
	n := p.Byte()
	for bits := 0; bits < 63 && p.Model().Len() < 200; bits++ {
		p.Schedule(model.Neighbour(model.Add(p.Model().Clock, 1<<bits), n+byte(bits)))
	}
}

func staleSlot(p *model.Player) uint32 {
	n, gone := int(p.Byte()), p.World.(*subject).gone
	if len(gone) == 0 {
		return 0
	}
	return gone[n%len(gone)]
}

func stale(p *model.Player) { refuse(p, staleSlot(p)) }

// refuse uses a slot that most likely names nothing, in either way.
func refuse(p *model.Player, slot uint32) {
	if p.Byte()%2 == 0 {
		p.Do(model.Op{Kind: model.Cancel, Slot: slot})
	} else {
		p.Do(model.Op{Kind: model.Reschedule, Slot: slot, At: p.Deadline()})
	}
}

// forged uses IDs that were most likely not issued: constants, and changed copies of some that were.
func forged(p *model.Player) {
	s := p.World.(*subject)
	ids := []structures.ID{
		0, 1, 2, 1 << 32, 1<<32 | 1, 2<<32 | 1, 1<<32 | 2, 1 << 63,
		math.MaxUint32, math.MaxUint32 << 32, math.MaxInt64, math.MaxUint64,
		0x9e3779b97f4a7c15, 0xd1b54a32d192ed03,
	}
	for _, slot := range []uint32{p.Pending(), staleSlot(p)} {
		id := s.ids[slot]
		ids = append(ids,
			id+1, id-1, id+2, ^id, -id, id<<32|id>>32,
			id+1<<32, id+2<<32, id-1<<32, id-2<<32, // its slot in other generations
			id&math.MaxUint32, id&(math.MaxUint32<<32), id|1<<31, id|1<<63,
		)
	}
	for _, id := range ids {
		if s.model.Find(id) < 0 {
			refuse(p, s.forge(id))
		}
	}
}

func popSome(p *model.Player) { popFew(p, model.Add(p.Model().Clock, structures.Tick(p.Byte()))) }
func popHere(p *model.Player) { popFew(p, p.Model().Clock) }
func popBack(p *model.Player) { popFew(p, model.Add(p.Model().Clock, -1<<(p.Byte()%64))) }

// popFew pops a few timers, as many as a byte says, and stops early.
func popFew(p *model.Player, now structures.Tick) {
	for range p.Byte()%8 + 1 {
		if _, ok := p.Do(model.Op{Kind: model.Pop, At: now}); !ok {
			return
		}
	}
}

// restart pops all that is due, and has each timer that fires schedule one and move one to a
// deadline in the past: neither is due in this tick.
func restart(p *model.Player) {
	now, past := model.Add(p.Model().Clock, structures.Tick(p.Byte())), model.Add(p.Model().Clock, -structures.Tick(p.Byte()))
	for left := p.Model().Len(); left > 0; left-- {
		if _, ok := p.Do(model.Op{Kind: model.Pop, At: now}); !ok {
			break
		}
		p.Schedule(past)
		p.Do(model.Op{Kind: model.Reschedule, Slot: uint32(p.Model().Pending[0].Value), At: past})
	}
	if now < math.MaxInt64 {
		p.PopAll(now)
	}
}

// A timer of a crowd is due within soon ticks, until it is due. The timers that fill a structure are due after distant ticks.
const soon, distant = 1 << 18, 1 << 36

// crowded schedules up to 256 timers that are due soon, mostly after the others of this kind have fired. While the clock passes them,
// it pops few at a time. In between it moves and cancels some, schedules others, and grows or shrinks the structure.
func crowded(p *model.Player) {
	s := p.World.(*subject)
	if p.Byte()%4 > 0 {
		s.inBulk(func() { p.PopAll(lastSoon(p)) })
	}
	n, order := structures.Tick(p.Byte())+1, structures.Tick(p.Byte()%2*166+1)
	apart, from := structures.Tick(1)<<(p.Byte()%8)>>1, structures.Tick(1)<<(8+p.Byte()%10)
	fill(p, int(n), func(i structures.Tick) structures.Tick { return from + i*order%n*apart })
	if first := s.model.Earliest(); first >= 0 {
		popUpTo32(p, s.model.Pending[first].Deadline)
	}
	for range p.Byte()%16 + 1 {
		disturb(p)
		switch p.Byte() % 16 {
		case 0, 1, 2:
			order := [...]structures.Tick{-1000, 1000, 0x9e3779b9}[p.Byte()%3]
			fill(p, (int(p.Byte()%64)+1)*s.room>>8, func(i structures.Tick) structures.Tick { return distant + i*order&(distant-1) })
		case 3:
			left := (int(p.Byte()%32) + 1) * s.room >> 8
			s.cancelAll(func(ahead structures.Tick) bool { left--; return ahead > soon && left > 0 })
		case 4:
			s.cancelAll(func(ahead structures.Tick) bool { return ahead <= 0 })
			p.Do(model.Op{Kind: model.Next}) // a tick after the clock, as nothing is due
		}
		clock, part := s.model.Clock, structures.Tick(p.Byte())
		popUpTo32(p, clock+(lastSoon(p)-clock)*part*part>>16)
	}
}

// fill schedules n timers after delays, as far as the subject has room. Some is left for timers that are due soon.
func fill(p *model.Player, n int, delay func(i structures.Tick) structures.Tick) {
	s := p.World.(*subject)
	s.inBulk(func() {
		for i := range structures.Tick(n) {
			if d := delay(i); s.model.Len() < s.room-min(256, s.room/8)*int(min(1, d/distant)) {
				p.Schedule(model.Add(s.model.Clock, d))
			}
		}
	})
}

// popUpTo32 pops up to 32 timers.
func popUpTo32(p *model.Player, now structures.Tick) {
	n := 1 << (p.Byte() % 6)
	p.World.(*subject).step(func() {
		for ok := true; ok && n > 0; n-- {
			_, ok = p.Do(model.Op{Kind: model.Pop, At: now})
		}
	})
}

// disturb schedules up to 8 timers that are due soon, or moves or cancels as many of those.
func disturb(p *model.Player) {
	p.World.(*subject).step(func() {
		for range 1 << (p.Byte() % 4) {
			clock, part := p.Model().Clock, structures.Tick(p.Byte())
			slot, ahead := pickSoon(p)
			switch p.Byte() % 4 {
			case 0:
				p.Do(model.Op{Kind: model.Reschedule, Slot: slot, At: clock + ahead*part*part>>16})
			case 1:
				p.Do(model.Op{Kind: model.Cancel, Slot: slot})
			case 2:
				p.Schedule(clock + (lastSoon(p)-clock)*part>>8)
			default:
				p.Do(model.Op{Kind: model.Reschedule, Slot: slot, At: clock + 2*ahead})
			}
		}
	})
}

// pickSoon picks the earliest of up to 128 timers that came last or were moved last, of those that are due soon, and mostly of those
// that are not due yet: what a structure knows of its first timers is wrong most easily. It returns slot 0 if there is none.
func pickSoon(p *model.Player) (slot uint32, ahead structures.Tick) {
	clock, pending, how := p.Model().Clock, p.Model().Pending, p.Byte()
	skip, among := int(p.Byte())*int(how>>7), 1<<(how%8)
	for i := range pending {
		e := pending[len(pending)-1-(skip+i)%len(pending)]
		if d := e.Deadline - clock; d <= soon && (d > 0 || how >= 224) && (slot == 0 || d < ahead) {
			slot, ahead = uint32(e.Value), d
		}
		if among--; among <= 0 && slot != 0 {
			break
		}
	}
	return slot, max(0, ahead)
}

// lastSoon returns the last deadline of those that are due soon, or the clock.
func lastSoon(p *model.Player) structures.Tick {
	clock, last := p.Model().Clock, p.Model().Clock
	for _, e := range p.Model().Pending {
		if e.Deadline-clock <= soon {
			last = max(last, e.Deadline)
		}
	}
	return last
}

// seeds returns the programs from which a fuzz run starts.
func seeds() [][]byte {
	const all = flagNext | flagSteps | flagWide | flagWide2
	programs := [][]byte{
		{},
		// Stop early, then schedule into the past and move what is due.
		{all, 0, doSchedule, near, 3, doSchedule, near, 5, doSchedule, near, 5, doPopSome, 9, 0,
			doSchedule, past, 9, doReschedule, 0, near, 1, doReschedule, 1, past, 0, doPopHere, 7, doStep, 0},
		// A slot is used again; the IDs that named it are tried.
		{flagNext, 0, doSchedule, near, 2, doStep, 5, doSchedule, near, 200, doStale, 0, 0, doStale, 0, 1, near, 1,
			doForged, 0, 0, 20, 0, doForged, 0, 0, 21, 1, past, 3, doCancel, 0, doSchedule, near, 1, doStale, 1, 0},
		// The ends of the range, with the clock just below them.
		{all, startLater + 62, doSchedule, extreme, 0, 0, doSchedule, extreme, 4, 0, doSchedule, extreme, 4, 2, doJump, 62, 2,
			doSchedule, past, 1, doSchedule, far, 62, 1, doToNext, doBeforeNext, doPopBack, 63, 1},
	}
	// A timer on either side of each boundary, moved across it and back.
	for bits := byte(4); bits < 63; bits += 6 {
		programs = append(programs, []byte{all, startLater + bits,
			doSchedule, boundary, bits, 2, doSchedule, boundary, bits, 0, doSchedule, far, bits, 1,
			doReschedule, 0, boundary, bits, 1, doReschedule, 1, boundary, bits, 2, doBeforeNext, doToNext,
			doJump, bits, 2, doSchedule, other, 0, 0, doPopBack, 3, 1})
	}
	for seed := range uint64(5) { // the next ones take longer than all of these together
		programs = append(programs, model.Random(seed, 160))
	}
	return programs
}
