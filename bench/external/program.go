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

// Program is a running program with one instance of its structure. It implements replay.Player. It is not
// safe for concurrent use.
type Program struct {
	Spec
	About

	context context.Context // of the run
	process *process        // nil after the program has ended
	broken  error           // if not nil, the program is not started again

	blocks *Blocks
	fires  *os.File  // the timers that fired
	place  int64     // offset of the blocks of a coarse program
	slots  *slots    // nil for an exact program
	most   int       // number of slots in the last block
	queue  []*loaded // blocks to replay, in order
	due    script.Due[struct{}]

	proof       script.Proof
	fired       []Fire // see [Program.Fired]
	last, timed answer // the last answer, and the sum of those that count in the results
}

// Start starts a program and reads its hello. It returns an error if the program does not start, does not
// say hello within 90 seconds, or says what docs/external.md does not allow. The caller must call Close.
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
		blocks.mu.Lock()
		defer blocks.mu.Unlock()
		blocks.floors = true
	}
	return p, nil
}

func (p *Program) restart() error {
	process, about, err := start(p.context, p.Spec, p.blocks.programs, p.fires)
	if err != nil {
		return err
	}
	p.process, p.About = process, about
	if most := p.Spec.Limit; most > 0 && (p.About.Limit == 0 || most < p.About.Limit) {
		p.About.Limit = most
	}
	return nil
}

// Close ends the program and its children.
func (p *Program) Close() {
	p.end()
	_ = p.fires.Close()
}

// end ends the process. Begin may start it again.
func (p *Program) end() {
	if p.process != nil {
		p.process.kill()
		p.process = nil
	}
}

// Describe returns the entry of the program in the results.
func (p *Program) Describe() results.External {
	out := p.External
	out.Name, out.Command = p.Name, p.Command()
	out.Collections, out.CollectionNS, out.CompileNS, out.TimedNS =
		p.timed.Collections, p.timed.CollectionNS, p.timed.CompileNS, p.timed.NS
	return out
}

// Hangs reports whether the program exceeded a time limit or flooded standard error, after which it is not started
// again.
func (p *Program) Hangs() bool { return p.broken != nil }

// Memory returns the bytes of memory of the program, without what it shares with others, if the system tells (Linux does).
func (p *Program) Memory() (bytes uint64, known bool) {
	if p.process == nil {
		return 0, false
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.process.cmd.Process.Pid))
	var size, resident, shared uint64
	if err == nil {
		_, err = fmt.Sscan(string(text), &size, &resident, &shared)
	}
	return (resident - min(resident, shared)) * uint64(os.Getpagesize()), err == nil
}

// Fired returns the timers that the program reported in the last block that was replayed with every, in this order; nil without an
// answer.
func (p *Program) Fired() []Fire { return p.fired }

// Count adds the collections and compilations of the last block to those that Describe returns.
func (p *Program) Count() {
	p.timed.Collections += p.last.Collections
	p.timed.CollectionNS += p.last.CollectionNS
	p.timed.CompileNS += p.last.CompileNS
	p.timed.NS += p.last.NS
}

// Begin makes a fresh instance with room for the given number of timers. It starts a program again that
// has ended, but not one that hung or flooded standard error.
func (p *Program) Begin(keys int) error {
	if p.broken != nil {
		return p.broken
	}
	if p.process == nil {
		if err := p.restart(); err != nil {
			return p.give(err)
		}
	}
	within := p.requestTime() + time.Duration(p.most+keys)*perOp // it frees the previous instance, too
	p.slots, p.most, p.queue = nil, keys, nil
	p.due = script.NewDue[struct{}](nil)
	if p.Coarse {
		p.slots, p.due = &slots{of: make(map[uint32]uint32)}, script.NewDue[struct{}](p.Late)
		if p.place == 0 {
			p.place = p.blocks.ownPlace()
		}
	}
	_, err := p.ask(message{Kind: begin, A: uint64(keys)}, within)
	return err
}

// ask sends a request. After an error it ends the program, whose state is unknown then.
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

// give returns err. It gives up on a program that would cost the time limit again after a restart.
func (p *Program) give(err error) error {
	if errors.Is(err, errHangs) || errors.Is(err, errFloods) {
		p.broken = fmt.Errorf("%w (it is not started again)", err)
	}
	return err
}

func (p *Program) requestTime() time.Duration { return cmp.Or(p.RequestTime, requestTime) }

// Load passes on the blocks that Replay will replay next, in this order, so that the program can
// prepare them outside the timed loop.
func (p *Program) Load(blocks ...*script.Block) error {
	p.queue = nil
	for i, b := range blocks {
		l, err := p.blocks.put(i, b, p.place, p.slots)
		if err != nil {
			return err
		}
		p.most = l.slots
		within := p.requestTime() + time.Duration(l.ops)*perOp
		m := message{load, uint32(i), uint64(l.bytes), uint64(l.slots), uint64(l.at)}
		if _, err := p.ask(m, within); err != nil {
			return err
		}
		p.queue = append(p.queue, l)
	}
	return nil
}

// Replay replays a block and returns its time. It proves the answer: counts and checksum of all timers, or,
// if every is set, each timer that fired. The time of a replay with every should not be used.
func (p *Program) Replay(b *script.Block, every bool) (time.Duration, error) {
	p.fired = nil
	if len(p.queue) == 0 || p.queue[0].serial != b.Serial {
		if err := p.Load(b); err != nil {
			return 0, err
		}
	}
	l := p.queue[0]
	p.queue = p.queue[1:]
	room := 0
	if every = every || p.Coarse; every {
		room = len(l.due) + p.due.Len() + 1024 // for timers that fire by mistake
		if err := p.fires.Truncate(int64(room * fireSize)); err != nil {
			return 0, err
		}
	}
	within := p.requestTime() + time.Duration(l.ops+len(l.due))*perOp
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
	p.proof = b.Want
	if !p.Coarse {
		return time.Duration(a.NS), a.check(l.want)
	}
	if pending := b.Want.Pending + uint64(p.due.Len()); a.Len != pending {
		return 0, fmt.Errorf("it says that %s pending, want %d", are(a.Len), pending)
	}
	return time.Duration(a.NS), nil
}

// Check implements replay.Player. Replay has made all checks.
func (p *Program) Check(func(do func(script.Timer))) error { return nil }

// Proof returns the outcome of the script after the last block, because every answer was proved.
func (p *Program) Proof() script.Proof { return p.proof }

// proveEvery compares each timer that fired in a block with the script.
func (p *Program) proveEvery(l *loaded, a answer, room int) error {
	fired := make([]Fire, min(a.Fired, uint64(room)))
	p.fired = fired
	from := io.NewSectionReader(p.fires, 0, int64(len(fired)*fireSize))
	if err := binary.Read(from, binary.LittleEndian, fired); err != nil && len(fired) > 0 {
		return err
	}
	slots, err := prove(&p.due, p.Coarse, l.pops, l.due, fired)
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

// PopOne lets two overdue timers fire, of which the first cancels the other. It returns how many fire.
func (p *Program) PopOne() (fired uint64, err error) {
	le := binary.LittleEndian
	b := make([]byte, headSize)
	le.PutUint32(b, blockMagic)
	le.PutUint32(b[4:], Version)
	for i, n := range []uint64{2, 3, 2} { // batches, operations, slots
		le.PutUint64(b[8+8*i:], n)
	}
	for _, n := range []uint32{opSchedule, 2, opPopOne, 1} {
		b = le.AppendUint32(b, n)
	}
	for _, n := range []uint64{10, 0, 20, 1, 30, 0} { // ticks and slots
		b = le.AppendUint64(b, n)
	}
	p.blocks.mu.Lock()
	p.blocks.held[0] = nil
	_, err = p.blocks.file.WriteAt(b, 0) // in place of the first block of a round
	p.blocks.mu.Unlock()
	if err == nil {
		err = errors.Join(p.Begin(2), p.fires.Truncate(4*fireSize))
	}
	if err == nil {
		_, err = p.ask(message{load, 0, uint64(len(b)), 2, 0}, p.requestTime())
	}
	if err != nil {
		return 0, err
	}
	a, err := p.ask(message{Kind: run, A: 4}, p.requestTime())
	return a.Fired, err
}
