package bench

import (
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/loops"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/minheap"
)

// A run times the calls of a workload of single calls, and has no cell for it.
func TestARunTimesSingleCalls(t *testing.T) {
	cfg := tinyRun(t, []string{"quadheap", "hwheel-linux", "hwheel"}, []string{"avalanche-slot", "avalanche-period-256"})
	r := run(t, cfg)
	if len(r.Cells) != 0 || len(r.Calls) != 6 {
		t.Fatalf("%d cells and %d lists of calls, want 0 and 6", len(r.Cells), len(r.Calls))
	}
	for i, c := range r.Calls {
		w, e := cfg.Workloads[i/3], cfg.Structures[i%3]
		if c.Workload != w.Name || c.N != 50 || c.Structure != e.Name || c.Rounds != 3 {
			t.Errorf("%+v, want %s on %s", c, e.Name, w.Name)
		}
		period := structures.Tick(w.Model.(*workload.Avalanche).Period) / structures.Tick(w.Tick)
		if c.Proof.Fired < 50 && e.Exact() || c.Proof.Cancelled < 25 || c.Calls < int(period)+3*50 {
			t.Errorf("%s on %s: %d calls, proof %+v", c.Structure, c.Workload, c.Calls, c.Proof)
		}
		for _, o := range []results.Operation{results.Schedule, results.Cancel, results.Pop} {
			call, ok := c.Of(o)
			if !ok || call.NS <= 0 || call.At < 0 || call.At > 2*period+20_000 {
				t.Errorf("%s on %s: the longest %s is %+v", c.Structure, c.Workload, o, call)
			}
		}
		if _, ok := c.Of(results.Reschedule); ok {
			t.Errorf("%s on %s: a Reschedule", c.Structure, c.Workload)
		}
	}
	fail.If(t, r.Validate())
	r.Calls[0].Proof.Fired++
	fail.UnlessError(t, r.Validate(), `longest calls of "quadheap" on "avalanche-slot", n 50: the proof does not hold`)
}

func TestTheLongestCallIsFound(t *testing.T) {
	cfg := tinyRun(t, nil, []string{"avalanche-period-256"})
	cfg.Structures = []entry.Entry{{Name: "sleepy", New: func() structures.Scheduler[uint64] {
		return &hooked{Heap: minheap.New[uint64](), pop: func(now structures.Tick) {
			if now == 131 {
				time.Sleep(2 * time.Millisecond)
			}
		}}
	}}}
	r := run(t, cfg)
	if got := r.Calls[0].Max(); got.Operation != results.Pop || got.At != 131 || got.NS < 2e6 {
		t.Errorf("the longest call is %+v, want Pop at tick 131 of 2 ms", got)
	}
}

// No figure counts without proof: not in the block whose every answer is checked, and not
// in a round whose calls are timed.
func TestSingleCallsOfAFaultyStructureHaveNoFigure(t *testing.T) {
	for _, c := range []struct {
		what string
		from int // the first instance that has the fault
	}{{"all instances", 1}, {"the last round", 1 + 3}} {
		cfg := tinyRun(t, []string{"quadheap"}, []string{"avalanche-period-256"})
		made := 0
		cfg.Structures = append(cfg.Structures, entry.Entry{Name: "faulty", New: func() structures.Scheduler[uint64] {
			if made++; made < c.from {
				return minheap.New[uint64]()
			}
			return faultyEntry("fires a tick late").New()
		}})
		r, err := Run(t.Context(), planOf(t, cfg), Hooks{})
		fail.UnlessError(t, err, "faulty fails the proof on ")
		if len(r.Calls) != 1 || r.Calls[0].Structure != "quadheap" || len(r.Failures) != 1 {
			t.Errorf("%s: calls of %d structures, failures %v", c.what, len(r.Calls), r.Failures)
		}
	}
}

// Verify goes on until each timer has fired, which other workloads do not need.
func TestSingleCallsAreVerified(t *testing.T) {
	cfg := tinyRun(t, []string{"quadheap"}, []string{"avalanche-slot"})
	var got []Verified
	fail.If(t, Verify(t.Context(), proofOf(t, cfg, 2), func(v Verified) { got = append(got, v) }))
	if len(got) != 1 || got[0].Operations < 2*(1<<16) || got[0].Failures != nil {
		t.Errorf("%+v", got)
	}
	cfg = tinyRun(t, nil, []string{"avalanche-period-256"})
	cfg.Structures = []entry.Entry{faultyEntry("fires a tick late")}
	var where []string
	fail.If(t, Verify(t.Context(), proofOf(t, cfg, 2), func(v Verified) {
		for _, f := range v.Failures {
			where = append(where, f.Where)
		}
	}))
	fail.Unless(t, strings.Join(where, "; "), "seed 7; ", "seed 8")
}

// A profile that times the calls of a workload also measures its cell, and times intrusive structures too.
func TestAProfileTimesTheCallsOfACell(t *testing.T) {
	cfg := tinyRun(t, []string{"quadheap", "hwheel-linux"}, []string{"ttl-cache"})
	cfg.Profile, _ = FindProfile("ttl")
	cfg.N = []int{3000}
	cfg.Structures = append(cfg.Structures, loops.With(catalog.Intrusive()[:1])...)
	r := run(t, cfg)
	if len(r.Cells) != 1 || len(r.Calls) != 3 {
		t.Fatalf("%d cells and %d lists of calls, want 1 and 3", len(r.Cells), len(r.Calls))
	}
	for _, c := range r.Calls {
		e, _ := catalog.Find(c.Structure)
		if least := 16.0; c.Bytes < least || c.Bytes > 200 || e.MaxBytes > 0 && c.Bytes > float64(e.MaxBytes)+100 {
			t.Errorf("%s takes %v bytes a timer", c.Structure, c.Bytes)
		}
		pop, _ := c.Of(results.Pop)
		if c.Lag <= 0 || pop.NS <= 0 || len(c.Longest) != 4 || c.Proof.Fired < 3000 || c.Proof != r.Calls[0].Proof && e.Exact() {
			t.Errorf("%+v", c)
		}
		if intrusive := strings.HasPrefix(c.Structure, "intrusive-"); intrusive != (c.Role == results.RoleIntrusive) {
			t.Errorf("%s has the role %q", c.Structure, c.Role)
		}
	}
	fail.UnlessSame(t, "verified rows", proofsHold(t, cfg, r), 6)
}
