package bench

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/tracetest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/trace"
)

// traceFile writes a trace and opens it.
func traceFile(t *testing.T, write func(*trace.Writer)) *Trace {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.trace")
	file, err := os.Create(path)
	fail.If(t, err)
	w, err := trace.NewWriter(file, trace.Header{Name: "test", Tick: time.Millisecond})
	fail.If(t, err)
	write(w)
	fail.If(t, errors.Join(w.Close(), file.Close()))
	opened, err := OpenTrace(path)
	fail.If(t, err)
	return opened
}

// madeTrace writes the script of a workload as a trace.
func madeTrace(t *testing.T, name string, n int, ops uint64) *Trace {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".trace")
	tracetest.File(t, path, name, n, ops)
	opened, err := OpenTrace(path)
	fail.If(t, err)
	return opened
}

// recordedTrace records a program that wakes late and irregularly, uses stale IDs, and
// has a clock that does not start at 0.
func recordedTrace(t *testing.T, calls int) *Trace {
	t.Helper()
	return traceFile(t, func(w *trace.Writer) {
		rec := trace.NewRecorder(hwheel.New[uint64](), w)
		r := rand.New(rand.NewPCG(3, 4))
		now, ids := structures.Tick(1_700_000_000_000), []structures.ID{0}
		for i := range calls {
			id := &ids[len(ids)-1-r.IntN(min(len(ids), 300))]
			switch deadline := now + structures.Tick(r.IntN(2000)); r.IntN(8) {
			case 0, 1, 2:
				ids = append(ids, rec.Schedule(deadline, uint64(i)))
			case 3, 4:
				rec.Reschedule(*id, deadline)
			case 5:
				rec.Cancel(*id)
			default:
				now += structures.Tick(r.IntN(40))
				for range structures.Due(rec, now) {
				}
			}
		}
	})
}

// replayTrace replays a trace in all ways, one after the other, and returns the proof.
func replayTrace(e entry.Entry, t *Trace) (script.Proof, error) {
	source, err := t.open()
	if err != nil {
		return script.Proof{}, err
	}
	defer source.close()
	c := newContender(results.RoleStructure, e)
	if e.Name == FloorName {
		c.Role = results.RoleFloor
	}
	if err := c.begin(0); err != nil {
		return script.Proof{}, err
	}
	i := c.player.(*replay.Instance)
	var b *script.Block
	for way := 0; ; way++ {
		var err error
		b, err = source.next(context.Background(), 997, b)
		if errors.Is(err, io.EOF) {
			return i.Proof(), i.Check(source.Pending)
		}
		if err != nil {
			return script.Proof{}, err
		}
		switch way % 4 {
		case 1:
			i.TimeByKind(b, 0)
			err = i.Check(nil)
		case 2:
			i.Sample(b, replay.NewLatencies())
			err = i.Check(nil)
		default:
			err = c.replay(b, way%4 == 3)
		}
		if err != nil {
			return script.Proof{}, err
		}
	}
}

func TestATraceOfAWorkloadIsItsScript(t *testing.T) {
	w, _ := workload.Find("mixed")
	s := w.Script(500, 1)
	b := s.Fill()
	ops := len(b.Ops)
	b = s.Next(20_000, b)
	ops += len(b.Ops)
	made := madeTrace(t, w.Name, 500, uint64(ops))
	if got := made.Summary.Totals.Count(); got != uint64(ops) {
		t.Fatalf("%d operations, want %d", got, ops)
	}
	source, err := made.open()
	fail.If(t, err)
	defer source.close()
	if _, err := source.fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	last, err := source.next(t.Context(), ops, nil)
	fail.If(t, err)
	if last.Want != b.Want || last.Late != 0 {
		t.Errorf("the trace leads to %+v, the script to %+v", last.Want, b.Want)
	}
}

func TestTheProofFindsFaultsOnATrace(t *testing.T) {
	// Each timer has a second wake-up after its own, so that a late one fires in the end.
	ticking := traceFile(t, func(w *trace.Writer) {
		for now := structures.Tick(10); now < 30_000; now += 10 {
			key := w.Schedule(now - 3)
			w.Advance(now, key)
			w.Advance(now + 2)
		}
	})
	for fault, c := range map[string]struct {
		t    *Trace
		want string
	}{
		"fires at a later wake-up": {ticking, "some fired at another tick"},
		"grants a stale cancel":    {recordedTrace(t, 5000), "were granted"},
		"refuses a cancel":         {recordedTrace(t, 20_000), "refused"},
	} {
		_, err := replayTrace(faultyEntry(fault), c.t)
		fail.UnlessError(t, err, c.want)
	}
}

// A trace is measured to its end, in the given number of trials.
func TestATraceIsMeasuredToItsEnd(t *testing.T) {
	tr := madeTrace(t, "mixed", 500, 300_000)
	cfg := tinyRun(t, []string{"quadheap", "hwheel", "hwheel-linux"}, nil)
	cfg.Traces = []*Trace{tr}
	r := run(t, cfg)
	c := r.Cells[0]
	if c.Workload != "trace-mixed" || c.N != tr.n() || c.Unit != script.PerOperation || len(c.Rows) != 5 {
		t.Fatalf("cell %s, n %d, per %s, with %d rows", c.Workload, c.N, c.Unit, len(c.Rows))
	}
	totals := tr.Summary.Totals
	for _, row := range c.Rows {
		if len(row.Cost) != 2 || len(row.ByKind) != 2 || row.Cost[1].Round != 1 {
			t.Fatalf("%s: %d and %d trials, want 2", row.Structure, len(row.Cost), len(row.ByKind))
		}
		units := row.Cost[0].Units + row.Cost[1].Units
		if all := float64(totals.Count() + totals.Fired); units < 0.17*all || units > 0.2*all {
			t.Errorf("%s: %.0f of %.0f operations timed whole, want 2 in 7 of two thirds", row.Structure, units, all)
		}
		kinds := 0
		for _, k := range row.ByKind[0].Kinds {
			kinds += k.Count
		}
		if ops := row.ByKind[0].Ops + row.ByKind[0].Wakes; kinds < ops/2 || kinds > ops {
			t.Errorf("%s: %d operations by kind of %d", row.Structure, kinds, ops)
		}
		if p := row.Proof; p.Scheduled != totals.Ops[trace.Schedule] || p.Fired != totals.Fired && row.Structure != "hwheel-linux" {
			t.Errorf("%s: proof %+v, the trace holds %+v", row.Structure, p, totals)
		}
	}
	fail.If(t, tr.Measurable(2))
	fail.UnlessError(t, tr.Measurable(2000), "too few for 2000 trials")
}

// The trace that is replayed must be the one that was verified.
func TestATraceThatChangesUnderARunIsAnError(t *testing.T) {
	tr := madeTrace(t, "churn", 100, 20_000)
	other := madeTrace(t, "churn", 5000, 20_000)
	data, err := os.ReadFile(other.Path)
	fail.If(t, err)
	fail.If(t, os.WriteFile(tr.Path, data, 0o644))
	cfg := tinyRun(t, []string{"minheap"}, nil)
	cfg.Traces = []*Trace{tr}
	r, err := Run(t.Context(), planOf(t, cfg), Hooks{})
	fail.UnlessError(t, err, "has changed")
	fail.UnlessSame(t, "cells", len(r.Cells), 0)
}

// In a run with a budget a recording gets as many rounds as other cheap cells.
func TestARecordingGetsManyRounds(t *testing.T) {
	cfg := tinyRun(t, nil, []string{"hold"})
	cfg.Structures = []entry.Entry{heapEntry("one", 0, nil), heapEntry("slow", 2_000, nil)}
	cfg.Trials, cfg.Budget.Limit = 6, 3*time.Second
	cfg.Traces = []*Trace{madeTrace(t, "churn", 500, 10_000)}
	r := run(t, cfg)
	c := r.Cells[1]
	if one := c.Row("one"); c.Category != "recorded" || one.Stopped == results.StoppedDone != (len(one.Cost) >= plannedRounds) {
		t.Errorf("%s, %s: one stopped %q after %d rounds", c.Workload, c.Category, one.Stopped, len(one.Cost))
	}
}
