package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// Program is a program that takes part in a run. It implements replay.Program: one instance of its
// structure at a time. It is for one goroutine at a time.
type Program struct {
	Spec
	About

	context context.Context // of the run
	process *process        // nil: it has ended
	broken  error           // why it is not started again

	slots  map[uint32]uint32 // by key, of a coarse program; nil: the key is the slot
	free   []uint32          // slots to use again
	most   int               // slots so far
	queue  []*loaded         // blocks that are loaded, in order
	made   int               // blocks of this instance
	prover prover
	memory []byte // of a block file

	collections, collectionNS, compileNS, timedNS uint64
}

// loaded is a block that the program has, and what is to come of it. The latter is kept for
// coarse programs only, whose slots are not known later: beside many programs it would take most
// of the memory.
type loaded struct {
	block *script.Block
	file  int
	ops   int
	pops  []structures.Tick
	due   []expected
}

// outcome returns the ticks of the pops, and the timers that come due.
func (l *loaded) outcome(exact bool) (pops []structures.Tick, due []expected) {
	if !exact {
		return l.pops, l.due
	}
	fires := l.block.Fires
	for kind, op := range l.block.All() {
		if kind == script.KindFire || kind == script.KindWake {
			pops = append(pops, op.At)
			for len(fires) > 0 && fires[0].At <= op.At {
				due = append(due, expected{fires[0], fires[0].Key})
				fires = fires[1:]
			}
		}
	}
	return pops, due
}

// Start starts a program and reads what it says of itself.
func Start(ctx context.Context, s Spec) (*Program, error) {
	p := &Program{Spec: s, context: ctx}
	return p, p.restart()
}

func (p *Program) restart() (err error) {
	p.process, p.About, err = start(p.context, p.Args)
	if most := p.Spec.Limit; most > 0 && (p.About.Limit == 0 || most < p.About.Limit) {
		p.About.Limit = most
	}
	return err
}

// Close ends the program.
func (p *Program) Close() {
	if p.process != nil {
		p.process.kill()
		p.process = nil
	}
}

// Describe returns what the results say of the program.
func (p *Program) Describe() results.External {
	return results.External{
		Name: p.Name, Command: p.Command(), Language: p.Language, Version: p.Version, Note: p.Note,
		Inlined: p.Inlined, Virtual: p.Virtual, Coarse: p.Coarse, Limit: p.About.Limit, ClockNS: p.ClockNS, WakeNS: p.WakeNS,
		Collections: p.collections, CollectionNS: p.collectionNS, CompileNS: p.compileNS, TimedNS: p.timedNS,
	}
}

// Begin makes a fresh instance, with room for so many timers. A program that has ended is started
// again, unless it hung.
func (p *Program) Begin(keys int) error {
	if p.broken != nil {
		return p.broken
	}
	if p.process == nil {
		if err := p.restart(); err != nil {
			return err
		}
	}
	within := requestTime + time.Duration(p.most+keys)*perOp // what it had before is to be freed
	p.slots, p.free, p.most, p.queue, p.made = nil, nil, keys, nil, 0
	p.prover = prover{unfired: make(map[uint32]script.Fire), lastWake: 0}
	if p.Coarse {
		p.slots, p.most, p.prover.late = make(map[uint32]uint32), 0, p.Late
	}
	_, err := p.ask(begin, 0, uint64(keys), 0, within)
	return err
}

// ask sends a request. After an error the program is ended, since it may be anywhere.
func (p *Program) ask(kind request, block int, a, b uint64, within time.Duration) (answer, error) {
	if p.process == nil {
		return answer{}, cmp.Or(p.broken, io.ErrClosedPipe)
	}
	out, err := p.process.ask(encodeRequest(kind, block, a, b), kind, within)
	if err != nil {
		p.Close()
		if errors.Is(err, errHangs) {
			p.broken = fmt.Errorf("%w (it is not started again)", err)
		}
	}
	return out, err
}

// Load hands over blocks that are to be replayed next, in this order, so that the program can
// prepare them before it is timed.
func (p *Program) Load(blocks ...*script.Block) error {
	for _, b := range blocks {
		l := p.prepare(b)
		if p.process == nil {
			return cmp.Or(p.broken, io.ErrClosedPipe)
		}
		if err := p.process.write("block-"+strconv.Itoa(l.file), p.memory); err != nil {
			return err
		}
		within := requestTime + time.Duration(l.ops)*perOp
		if _, err := p.ask(load, l.file, uint64(len(p.memory)), uint64(p.most), within); err != nil {
			return err
		}
		p.queue = append(p.queue, l)
		if len(p.memory) > largeBlock {
			p.memory = nil
		}
	}
	return nil
}

// largeBlock is how many bytes of memory a program keeps for the next block at most (chosen).
const largeBlock = 8 << 20

// prepare encodes a block in p.memory.
func (p *Program) prepare(b *script.Block) *loaded {
	const files = 8 // more than a round has blocks
	l := &loaded{block: b, file: p.made % files, ops: len(b.Ops)}
	p.made++
	fires := b.Fires
	slotOf := func(kind script.Kind, op script.Op) uint32 {
		switch kind {
		case script.KindFire, script.KindWake:
			if p.slots == nil {
				return 0
			}
			l.pops = append(l.pops, op.At)
			for len(fires) > 0 && fires[0].At <= op.At {
				l.due = append(l.due, expected{fires[0], p.slot(fires[0].Key)})
				fires = fires[1:]
			}
			return 0
		case script.KindSchedule:
			p.assign(op.Key)
		}
		slot := p.slot(op.Key)
		if kind == script.KindCancel && p.slots != nil {
			p.free = append(p.free, slot)
		}
		return slot
	}
	if p.slots == nil {
		p.most = max(p.most, b.Keys)
	}
	p.memory = encodeBlock(p.memory[:0], b, p.most, slotOf)
	if p.slots != nil { // it is known only now
		putSlots(p.memory, p.most)
	}
	return l
}

// slot returns the slot of the timer of a key.
func (p *Program) slot(key uint32) uint32 {
	if p.slots == nil {
		return key
	}
	return p.slots[key]
}

// assign gives the next timer of a key a slot. A coarse program may hold the timer before it
// longer than the script does, so it has slots of its own.
func (p *Program) assign(key uint32) {
	if p.slots == nil {
		return
	}
	if last := len(p.free) - 1; last >= 0 {
		p.slots[key], p.free = p.free[last], p.free[:last]
		return
	}
	p.slots[key] = uint32(p.most)
	p.most++
}

// Replay lets the program replay a block, and returns the time that it took. What came of it is
// proved. With every, each timer that fired is held against the script; this is not to be timed.
func (p *Program) Replay(b *script.Block, every bool) (time.Duration, error) {
	if len(p.queue) == 0 || p.queue[0].block != b {
		p.queue = nil
		if err := p.Load(b); err != nil {
			return 0, err
		}
	}
	l := p.queue[0]
	p.queue = p.queue[1:]
	pops, due := l.outcome(p.slots == nil)
	room := 0
	if every = every || p.Coarse; every {
		room = len(due) + len(p.prover.unfired) + 1024 // for what fires and should not
		if err := p.process.makeFires(room); err != nil {
			return 0, err
		}
	}
	a, err := p.ask(run, l.file, uint64(room), 0, requestTime+time.Duration(l.ops+len(due))*perOp)
	if err != nil {
		return 0, err
	}
	p.collections += a.Collections
	p.collectionNS += a.collectionNS
	p.compileNS += a.compileNS
	p.timedNS += a.ns
	if every {
		if err := p.proveEvery(pops, due, a, room); err != nil {
			return 0, err
		}
	}
	pending := b.Want.Pending + uint64(len(p.prover.unfired))
	if p.Coarse {
		if a.len != pending {
			return 0, fmt.Errorf("%d timers are pending, want %d", a.len, pending)
		}
		return time.Duration(a.ns), nil
	}
	return time.Duration(a.ns), want(pops, due, pending).check(a)
}

// proveEvery holds each timer that fired in a block against the script.
func (p *Program) proveEvery(
	pops []structures.Tick, due []expected, a answer, room int,
) error {
	fired, err := p.process.readFires(int(min(a.fired, uint64(room))))
	if err != nil {
		return err
	}
	slots, err := p.prover.prove(pops, due, fired)
	if err != nil {
		return err
	}
	if uint64(len(slots)) != a.fired {
		return fmt.Errorf("it says that %d timers fired, and names %d", a.fired, len(slots))
	}
	sum := uint64(0)
	for _, f := range fired {
		sum += script.Checksum(f.at, uint64(f.slot))
	}
	if sum != a.checksum {
		return fmt.Errorf("the checksum of what it says that fired is %#x, and its answer %#x", sum, a.checksum)
	}
	if p.slots != nil {
		p.free = append(p.free, slots...)
	}
	return nil
}
