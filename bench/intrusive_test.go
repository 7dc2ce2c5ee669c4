package bench

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/loops"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures/catalog"
)

func TestIntrusiveStructuresAreRowsOfTheirOwnRole(t *testing.T) {
	cfg := tinyRun(t, []string{"quadheap"}, []string{"churn", "hold"})
	cfg.Structures = append(cfg.Structures, loops.With(catalog.Intrusive())...)
	r := run(t, cfg)
	for _, c := range r.Cells {
		floors, proof := 0, c.Rows[0].Proof
		for _, row := range c.Rows {
			if row.Proof != proof {
				t.Errorf("%s: the proof of %s differs from the floor's", c.Workload, row.Structure)
			}
			if strings.HasPrefix(row.Structure, "intrusive-") && row.Structure != results.IntrusiveFloor {
				if row.Role != results.RoleIntrusive || len(row.Cost) == 0 || len(row.ByKind) == 0 || len(row.Latency) == 0 {
					t.Errorf("%s: the row of %s is %+v", c.Workload, row.Structure, row)
				}
			}
			if row.Role == results.RoleFloor {
				floors++
			}
		}
		if floors != 2 || len(c.Structures()) != 1 {
			t.Errorf("%s: %d floors, structures %v", c.Workload, floors, c.Structures())
		}
	}
	for _, m := range r.Memory {
		if m.Structure != "quadheap" {
			t.Errorf("the analysis of memory has %s, whose timers take no memory of its own", m.Structure)
		}
	}
	if verified := proofsHold(t, cfg, r); verified != len(r.Cells)*len(cfg.Structures) {
		t.Errorf("%d rows verified", verified)
	}
}

func TestIntrusiveStructuresNeedOneByID(t *testing.T) {
	cfg := tinyRun(t, nil, []string{"hold"})
	cfg.Structures = loops.With(catalog.Intrusive())
	if _, err := NewPlan(cfg); err == nil || !strings.Contains(err.Error(), "choose one too, such as auto") {
		t.Errorf("the error is %v", err)
	}
}
