package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// Trace is a trace to be replayed: found to be whole and to make sense, from the
// first operation to the last.
type Trace struct {
	Path    string
	Summary *tracestat.Summary
}

// OpenTrace reads all of a trace, so that nothing is replayed of one that is
// damaged.
func OpenTrace(path string) (*Trace, error) {
	summary, err := tracestat.Read(path)
	if err != nil {
		return nil, err
	}
	return &Trace{path, summary}, nil
}

// name is the workload that the trace stands for.
func (t *Trace) name() string { return "trace-" + t.Summary.Header.Name }

// n is the mean number of pending timers.
func (t *Trace) n() int { return max(1, int(math.Round(t.Summary.Resident))) }

func (t *Trace) workload() workload.Workload {
	return workload.Workload{
		Name:     t.name(),
		Category: workload.Recorded,
		Summary:  t.Summary.Header.Description,
		Source:   t.Path,
		Tick:     t.Summary.Header.Tick,
		Resident: t.n(),
		Unit:     script.PerOperation,
	}
}

func (t *Trace) recording() results.Recording {
	s := t.Summary
	return results.Recording{
		File: t.Path, Description: s.Header.Description, Recorded: s.Header.Started,
		Operations: s.Totals.Count(), Seconds: s.Duration().Seconds(), Resident: s.Resident, CancelRate: s.CancelRate,
	}
}

// minTrial is the fewest operations in a timed block: below it, what is measured is
// the clock (chosen).
const minTrial = 50

// Measurable returns an error if the trace is too short for so many trials.
func (t *Trace) Measurable(trials int) error {
	if p := (&traced{Trace: t}).pace(trials); p.block < minTrial {
		return fmt.Errorf("%s: %d operations are too few for %d trials of each kind, want at least %d",
			t.Path, t.Summary.Totals.Count(), trials, 2*4*minTrial*(trials+1))
	}
	return nil
}

// cell returns the cell that replays the trace.
func (t *Trace) cell(trials int, clock Clock) cellConfig {
	return cellConfig{
		workload: t.workload(), n: t.n(), trials: trials, clock: clock,
		open: func(context.Context, cellConfig) (source, error) { return newTraced(t) },
	}
}

// traced is a trace as the source of a cell: every contender goes through all of
// it once, in order. Its beginning, until as many timers are pending as on average,
// but at most half of it, fills the structure. What follows is divided among the
// first block, which proves every answer, and the trials: warm a little, time whole,
// time by kind, stamp, and so on in turns.
//
// Blocks are read as they are needed, so that memory does not depend on how long
// the trace is.
type traced struct {
	*Trace
	file   *os.File
	reader *trace.Reader
	read   uint64 // operations so far

	timers []tracedTimer // by key
	total  script.Proof
	late   uint64
	now    structures.Tick

	memory *script.Block // of populate
}

// tracedTimer is what the blocks need to know of the timer of a key.
type tracedTimer struct {
	deadline, delay structures.Tick
	value           uint64
	pending         bool
}

// largestBlock bounds the operations in a block, and with it the memory (chosen).
const largestBlock = 25_000

// newTraced begins with a dry run, after which the memory that it needs is there
// and counts for no structure.
func newTraced(t *Trace) (*traced, error) {
	s := &traced{Trace: t, timers: make([]tracedTimer, max(1, t.Summary.Totals.Keys))}
	return s, s.populate(func(*script.Block) error { return nil })
}

func (s *traced) pace(rounds int) pace {
	left := s.Summary.Totals.Count() - s.read
	if s.read == 0 {
		left /= 2 // not filled yet: at worst
	}
	perRound := int(left) / (rounds + 1)
	const share = 3.5 // three timed blocks and half a block to warm
	stretches := int(math.Ceil(float64(perRound) / (share * largestBlock)))
	block := int(float64(perRound) / share / float64(max(1, stretches)))
	return pace{prove: min(perRound, largestBlock), block: block, warm: block / 2, stretches: stretches}
}

func (s *traced) keys() int { return len(s.timers) }

func (s *traced) populate(do func(*script.Block) error) error {
	if err := s.rewind(); err != nil {
		return err
	}
	ops := s.Summary.Totals.Count()
	for s.read < ops/2 && float64(s.reader.Pending()) < s.Summary.ResidentOp {
		size := min(largestBlock, ops/2-s.read)
		b, err := s.next(int(size), s.memory, s.Summary.ResidentOp)
		if err != nil {
			return err
		}
		s.memory = b
		if err := do(b); err != nil {
			return err
		}
	}
	return nil
}

func (s *traced) follow(size int, reuse *script.Block) (*script.Block, error) {
	return s.next(size, reuse, math.Inf(1))
}

func (s *traced) rest(do func(*script.Block) error) error {
	for {
		b, err := s.follow(largestBlock, s.memory)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		s.memory = b
		if err := do(b); err != nil {
			return err
		}
	}
}

func (s *traced) pending(do func(script.Timer)) {
	for key, t := range s.timers {
		if t.pending {
			do(script.Timer{Key: uint32(key), Value: t.value})
		}
	}
}

// rewind goes back to the beginning of the trace.
func (s *traced) rewind() error {
	s.close()
	file, err := os.Open(s.Path)
	if err != nil {
		return err
	}
	s.file, s.read, s.total, s.late, s.now = file, 0, script.Proof{}, 0, 0
	if s.reader == nil {
		s.reader, err = trace.NewReader(file, s.Path)
		return err
	}
	return s.reader.Reset(file, s.Path)
}

func (s *traced) close() {
	if s.file != nil {
		_ = s.file.Close() // it was only read
	}
}

// next returns a block of so many operations, or fewer at the end of the trace or
// once enough timers are pending. The first that is empty is io.EOF.
func (s *traced) next(size int, reuse *script.Block, enough float64) (*script.Block, error) {
	b := script.Reuse(reuse)
	started, area := s.now, 0.0
	for n := 0; n < size && float64(s.reader.Pending()) < enough; n++ {
		pending := float64(s.reader.Pending())
		op, err := s.reader.Next()
		if errors.Is(err, io.EOF) && n > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		if s.read++; int(op.Key) >= len(s.timers) {
			return nil, fmt.Errorf("%s has changed since it was opened", s.Path)
		}
		if op.Kind == trace.Advance {
			area += pending * float64(op.At-s.now)
		}
		s.add(b, op)
	}
	s.total.Pending = uint64(s.reader.Pending())
	b.Keys, b.Want, b.Late, b.Ticks = len(s.timers), s.total, s.late, s.now-started
	b.Resident = float64(s.reader.Pending())
	if b.Ticks > 0 {
		b.Resident = area / float64(b.Ticks)
	}
	return b, nil
}

// add writes an operation of the trace down as one of a script.
func (s *traced) add(b *script.Block, op trace.Op) {
	b.Calls++
	switch op.Kind {
	case trace.Schedule:
		s.timers[op.Key] = tracedTimer{op.At, op.At - s.now, s.total.Scheduled, true}
		s.total.Scheduled++
		b.Add(script.KindSchedule, script.Op{At: op.At, Key: op.Key})
	case trace.Reschedule:
		t := &s.timers[op.Key]
		t.deadline, t.delay = op.At, op.At-s.now
		b.Add(script.KindReschedule, script.Op{At: op.At, Key: op.Key})
	case trace.Cancel:
		s.total.Cancelled++
		s.timers[op.Key].pending = false
		b.Add(script.KindCancel, script.Op{Key: op.Key, Number: uint32(s.timers[op.Key].value)})
	case trace.RefusedReschedule:
		b.Add(script.KindRefused, script.Op{At: max(s.now, s.now+1)})
	case trace.RefusedCancel:
		b.Add(script.KindRefused, script.Op{})
	case trace.Advance:
		b.Calls += len(op.Fired) - 1
		b.Pops++
		s.now = op.At
		code := script.KindWake
		if len(op.Fired) > 0 {
			code = script.KindFire
		}
		b.Add(code, script.Op{At: op.At})
		for _, key := range op.Fired {
			s.fire(b, key)
		}
	}
}

func (s *traced) fire(b *script.Block, key uint32) {
	t := s.timers[key]
	s.timers[key].pending = false
	h := script.Checksum(t.deadline, t.value)
	s.total.Fired++
	s.total.Checksum += h
	s.late += script.LateChecksum(s.now, t.deadline, h)
	b.Fires = append(b.Fires, script.Fire{At: t.deadline, Value: t.value, Delay: t.delay, Key: key})
}
