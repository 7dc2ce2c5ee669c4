package external

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// Program is a program that takes part in a run. It implements replay.Program: one instance of its
// structure at a time. It is for one goroutine at a time.
type Program struct {
	Spec
	About

	context context.Context // of the run
	process *process        // nil: it has ended
	broken  error           // why it is not started again

	blocks *Blocks
	fires  *os.File  // what fired
	place  int64     // of the blocks of a coarse program
	slots  *slots    // of a coarse program
	most   int       // slots of the last block
	queue  []*loaded // in order
	prover prover

	last, timed answer // of the last block, and the sum of those that were timed for the results
}

// Start starts a program and reads what it says of itself.
func Start(ctx context.Context, s Spec, blocks *Blocks) (*Program, error) {
	p := &Program{Spec: s, context: ctx, blocks: blocks}
	if err := blocks.open(); err != nil {
		return nil, err
	}
	var read *os.File
	var err error
	if p.fires, read, err = nameless(); err != nil {
		return nil, err
	}
	_ = read.Close()
	if err = p.restart(); err != nil {
		p.Close()
		return nil, err
	}
	if p.Floor {
		blocks.tellFires()
	}
	return p, nil
}

func (p *Program) restart() error {
	process, about, err := start(p.context, p.Args, p.blocks.programs, p.fires)
	if err != nil {
		return err
	}
	p.process, p.About = process, about
	if most := p.Spec.Limit; most > 0 && (p.About.Limit == 0 || most < p.About.Limit) {
		p.About.Limit = most
	}
	return nil
}

// Close ends the program.
func (p *Program) Close() {
	p.end()
	_ = p.fires.Close()
}

// end ends the process, which may be started again.
func (p *Program) end() {
	if p.process != nil {
		p.process.kill()
		p.process = nil
	}
}

// Describe returns what the results say of the program.
func (p *Program) Describe() results.External {
	out := p.External
	out.Name, out.Command = p.Name, p.Command()
	out.Collections, out.CollectionNS, out.CompileNS, out.TimedNS =
		p.timed.Collections, p.timed.CollectionNS, p.timed.CompileNS, p.timed.NS
	return out
}

// Count adds what the runtime of the program did in the last block, which was timed for the results.
func (p *Program) Count() {
	p.timed.Collections += p.last.Collections
	p.timed.CollectionNS += p.last.CollectionNS
	p.timed.CompileNS += p.last.CompileNS
	p.timed.NS += p.last.NS
}

// Begin makes a fresh instance, with room for so many timers. A program that has ended is started
// again, unless it hung.
func (p *Program) Begin(keys int) error {
	if p.broken != nil {
		return p.broken
	}
	if p.process == nil {
		if err := p.restart(); err != nil {
			return p.give(err)
		}
	}
	within := requestTime + time.Duration(p.most+keys)*perOp // what it had before is to be freed
	p.slots, p.most, p.queue = nil, keys, nil
	p.prover = prover{unfired: make(map[uint32]script.Fire), lastWake: 0}
	if p.Coarse {
		p.slots, p.prover.late = &slots{of: make(map[uint32]uint32)}, p.Late
		if p.place == 0 {
			p.place = p.blocks.ownPlace()
		}
	}
	_, err := p.ask(message{Kind: begin, A: uint64(keys)}, within)
	return err
}

// ask sends a request. After an error the program is ended, since it may be anywhere.
func (p *Program) ask(m message, within time.Duration) (answer, error) {
	if p.process == nil {
		return answer{}, cmp.Or(p.broken, io.ErrClosedPipe)
	}
	out, err := p.process.ask(m, within)
	if err != nil {
		p.end()
		err = p.give(err)
	}
	return out, err
}

// give returns err, and gives the program up if to start it again would cost as much time again.
func (p *Program) give(err error) error {
	if errors.Is(err, errHangs) || errors.Is(err, errFloods) {
		p.broken = fmt.Errorf("%w (it is not started again)", err)
	}
	return err
}

// Load hands over blocks that are to be replayed next, in this order, so that the program can
// prepare them before it is timed.
func (p *Program) Load(blocks ...*script.Block) error {
	p.queue = nil
	for i, b := range blocks {
		l, err := p.blocks.put(i, b, p.place, p.slots)
		if err != nil {
			return err
		}
		p.most = l.slots
		within := requestTime + time.Duration(l.ops)*perOp
		m := message{load, uint32(i), uint64(l.bytes), uint64(l.slots), uint64(l.at)}
		if _, err := p.ask(m, within); err != nil {
			return err
		}
		p.queue = append(p.queue, l)
	}
	return nil
}

// Replay lets the program replay a block, and returns the time that it took. What came of it is
// proved. With every, each timer that fired is held against the script; this is not to be timed.
func (p *Program) Replay(b *script.Block, every bool) (time.Duration, error) {
	if len(p.queue) == 0 || p.queue[0].serial != b.Serial {
		if err := p.Load(b); err != nil {
			return 0, err
		}
	}
	l := p.queue[0]
	p.queue = p.queue[1:]
	room := 0
	if every = every || p.Coarse; every {
		room = len(l.due) + len(p.prover.unfired) + 1024 // for what fires and should not
		if err := p.fires.Truncate(int64(room * fireSize)); err != nil {
			return 0, err
		}
	}
	within := requestTime + time.Duration(l.ops+len(l.due))*perOp
	start := time.Now()
	a, err := p.ask(message{Kind: run, Block: uint32(l.place), A: uint64(room)}, within)
	if err != nil {
		return 0, err
	}
	if err := a.checkTimes(l.ops, p.ClockNS, time.Since(start), time.Since(p.process.started)); err != nil {
		return 0, err
	}
	p.last = a
	if every {
		if err := p.proveEvery(l, a, room); err != nil {
			return 0, err
		}
	}
	if !p.Coarse {
		return time.Duration(a.NS), a.check(l.want)
	}
	if pending := b.Want.Pending + uint64(len(p.prover.unfired)); a.Len != pending {
		return 0, fmt.Errorf("%d timers are pending, want %d", a.Len, pending)
	}
	return time.Duration(a.NS), nil
}

// proveEvery holds each timer that fired in a block against the script.
func (p *Program) proveEvery(l *loaded, a answer, room int) error {
	fired := make([]fire, min(a.Fired, uint64(room)))
	from := io.NewSectionReader(p.fires, 0, int64(len(fired)*fireSize))
	if err := binary.Read(from, binary.LittleEndian, fired); err != nil && len(fired) > 0 {
		return err
	}
	slots, err := p.prover.prove(l.pops, l.due, fired)
	if err != nil {
		return err
	}
	if uint64(len(slots)) != a.Fired {
		return fmt.Errorf("it says that %d timers fired, and names %d", a.Fired, len(slots))
	}
	sum := uint64(0)
	for _, f := range fired {
		sum += script.Checksum(f.At, uint64(f.Slot))
	}
	if sum != a.Checksum {
		return fmt.Errorf("the checksum of what it says that fired is %#x, and its answer %#x", sum, a.Checksum)
	}
	if p.slots != nil {
		p.slots.free = append(p.slots.free, slots...)
	}
	return nil
}
