package analysis

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/count"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
)

// explained are results whose times are 2 ns of the harness, 0.25 ns for an instruction, 3 ns for a miss of
// the first level, 20 for one of the second and 5 for a mispredicted branch.
func explained(times func(structure string, ns float64) float64) *Run {
	r := &results.Run{Complete: true}
	var counts count.Counts
	for i, w := range []string{"hold", "churn", "tcp", "sip", "mixed", "pacing"} {
		c := results.Cell{Workload: w, N: 1000, Unit: script.PerLifecycle}
		add := func(name string, role results.Role, ns float64) {
			row := results.Row{Structure: name, Role: role}
			for round := range 8 {
				row.Cost = append(row.Cost, results.Trial{Round: round, Instance: round / 2, NS: 100 * (ns + 0.0001*float64(round*5%8)), Units: 100})
			}
			c.Rows = append(c.Rows, row)
		}
		add("null", results.RoleFloor, 2)
		for j := range 4 {
			name := fmt.Sprintf("s%d", j)
			k := count.Row{Structure: name, Workload: w, N: 1000, Unit: c.Unit, Reads: 1, Instructions: float64(100 + 80*j + 7*i*j*j),
				L1Misses: float64((j*j + i) % 3), L2Misses: float64((2*j+i)%4) / 8, Mispredicted: float64((3*j + 2*i) % 5)}
			counts.Rows = append(counts.Rows, k)
			ns := 2 + 0.25*k.Instructions + 3*k.L1Misses + 20*k.L2Misses + 5*k.Mispredicted
			add(name, results.RoleStructure, times(name, ns))
		}
		r.Cells = append(r.Cells, c)
	}
	return With(r, Knowledge{Counts: counts, Workload: func(string) (w workload.Workload, ok bool) { return w, false }})
}

func TestTheModelFindsWhatCountsCost(t *testing.T) {
	r := explained(func(_ string, ns float64) float64 { return ns })
	w := r.Why()
	if w == nil || len(w.Rows) != 24 {
		t.Fatalf("%+v", w)
	}
	for _, x := range []struct{ got, want float64 }{
		{w.Costs.Instruction, 0.25}, {w.Costs.L1Miss, 3}, {w.Costs.L2Miss, 20}, {w.Costs.LLMiss, 0}, {w.Costs.Mispredicted, 5},
	} {
		if math.Abs(x.got-x.want) > 0.02*x.want {
			t.Errorf("%+v: %g, want %g", w.Costs, x.got, x.want)
		}
	}
	for _, c := range w.Rows {
		if agree, known := w.Agree(c); !agree || !known || c.Off() > 1.01 {
			t.Errorf("%s in %s: %g ns, by the counts %g, agree %t, known %t", c.Structure, c.Workload, c.NS, c.Model, agree, known)
		}
	}
}

// The count that separates two structures most is the one that costs the most nanoseconds.
func TestTheReasonIsTheCountThatCostsMost(t *testing.T) {
	r := explained(func(_ string, ns float64) float64 { return ns })
	x := r.Why().Between(r.Cells[0], "s0", "s3")
	want := Reason{"s0", "s3", r.Cells[0].Workload, 1000, r.Cells[0].Unit, "instructions", 100, 340}
	if x == nil || *x != want || !strings.Contains(x.Sentence(), "s0 takes 100 instructions per lifecycle, and s3 340.") {
		t.Errorf("%+v, want %+v", x, want)
	}
	if x := r.Why().Between(r.Cells[0], "s0", "absent"); x != nil {
		t.Errorf("a reason without counts: %+v", x)
	}
}

func TestAPlaceThatCountsDoNotExplainIsFound(t *testing.T) {
	// s0 executes the least, and takes four times as long as that would.
	r := explained(func(name string, ns float64) float64 {
		if name == "s0" {
			return 4 * ns
		}
		return ns
	})
	w, off := r.Why(), 0
	for _, c := range w.Rows {
		agree, known := w.Agree(c)
		if c.Structure == "s0" && c.To.Center > 1 && known && !agree {
			off++
		}
	}
	if off < 4 {
		t.Errorf("%d of 6 places of s0 do not agree with its counts", off)
	}
	few := *r
	few.explained = false
	few.Known.Counts.Rows = few.Known.Counts.Rows[:15]
	if w := few.Why(); w != nil {
		t.Errorf("a model of five weights from %d rows", len(w.Rows))
	}
}
