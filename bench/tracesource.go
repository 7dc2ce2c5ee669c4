package bench

import (
	"context"
	"fmt"
	"math"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// Trace is a valid trace file.
type Trace struct {
	Path    string
	Summary *tracestat.Summary
	fill    int // operations that fill a structure
}

// OpenTrace reads a whole trace and returns an error if it is damaged.
func OpenTrace(path string) (*Trace, error) {
	summary, err := tracestat.Read(path)
	if err != nil {
		return nil, err
	}
	t := &Trace{Path: path, Summary: summary}
	s, err := t.open()
	if err != nil {
		return nil, err
	}
	defer s.close()
	_, err = s.fill(context.Background())
	t.fill = s.recording.made
	return t, err
}

// Name returns the name of the workload in results.
func (t *Trace) Name() string { return "trace-" + t.Summary.Header.Name }

func (t *Trace) operations() int { return int(t.Summary.Totals.Count()) }

func (t *Trace) n() int { return max(1, int(math.Round(t.Summary.Resident))) }

func (t *Trace) workload() workload.Workload {
	return workload.Workload{
		Name:     t.Name(),
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
		Operations: s.Totals.Count(), Seconds: s.Duration().Seconds(),
		Resident: s.Resident, CancelRate: s.CancelRate, Delays: workload.ShapeOf(s.Set().Quantiles()),
	}
}

// minBlock is the minimum number of operations in a timed block (chosen). Below it the
// clock dominates the measured time.
const minBlock = 50

// Measurable returns an error if the trace is too short for a number of trials.
func (t *Trace) Measurable(trials int) error {
	if ops := t.operations(); divided(ops/2, trials, modesOfTrace).block < minBlock {
		return fmt.Errorf("%s: %d operations are too few for %d trials of each kind, want at least %d",
			t.Path, ops, trials, 2*4*minBlock*(trials+1))
	}
	return nil
}

// traceInstances is the number of instances that replay a trace without a budget (chosen).
const traceInstances = 3

// recording makes the calls of a trace. Each instance of a contender replays the whole trace, in order:
//
//   - The beginning fills the structure, until the number of pending timers reaches its
//     mean, but at most with half of the trace.
//   - The next block is the block with checked answers.
//   - The rest is divided among the rounds of the pass, one mode after the other.
type recording struct {
	*Trace
	reader *trace.Reader
	made   int      // calls so far
	timers []uint32 // keys in the script, by key in the trace
}

// largestBlock is the largest number of operations in a block that is not timed, after the fill (chosen). It limits the memory.
const largestBlock = 25_000

func (t *Trace) open() (*stream, error) {
	reader, err := trace.Open(t.Path)
	return &stream{Script: script.New(nil, nil, 0), recording: &recording{t, reader, 0, make([]uint32, max(1, t.Summary.Totals.Keys))}}, err
}

const modesOfTrace = 4

// roundsOfRecording returns the number of rounds of an instance under a budget: as many as there are blocks of
// 5,000 operations, within limits (chosen).
func roundsOfRecording(operations int) int {
	const block, least, most = 5_000, 4, 16
	return min(max(least, 2*divided(operations/2, 1, modesOfTrace).block/block-1), most)
}

// divided divides operations among a block that is proved and rounds with that number of blocks.
func divided(operations, rounds, blocks int) sizes {
	perRound := operations / (rounds + 1)
	block := int(float64(perRound) / (float64(blocks) - 0.5)) // half a block warms the caches
	return sizes{prove: min(perRound, largestBlock), block: block, warm: block / 2}
}

// call makes the next call, or stops the writer at the end of the trace.
func (r *recording) call(w *script.Writer) {
	op, err := r.reader.Next()
	if err == nil && int(op.Key) >= len(r.timers) {
		err = fmt.Errorf("%s has changed since it was opened", r.Path)
	}
	if err != nil {
		w.Stop(err)
	}
	r.made++
	switch timer := &r.timers[op.Key]; op.Kind {
	case trace.Schedule:
		*timer = w.Schedule(op.At)
	case trace.Reschedule:
		w.Reschedule(*timer, op.At)
	case trace.Cancel:
		w.Cancel(*timer)
	case trace.RefusedReschedule:
		w.Refuse(max(w.Now(), w.Now()+1))
	case trace.RefusedCancel:
		w.Refuse(0)
	case trace.Advance:
		w.Wake(op.At)
	}
}
