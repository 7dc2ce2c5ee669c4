package results

import (
	"math"
	"strings"
	"testing"
)

// shardOf is a shard with one cell. Its machine is slow times as slow as another one; a
// structure costs what costs says, times the round.
func shardOf(name string, slow float64, costs map[string]float64) Named {
	c := Cell{Workload: "hold", N: 10, Seconds: 1}
	for _, structure := range []string{"null", "quadheap", "a", "b", "a-control"} {
		cost, ok := costs[structure]
		if !ok {
			continue
		}
		row := Row{Structure: structure, Role: RoleStructure}
		switch structure {
		case "null":
			row.Role = RoleFloor
		case "a-control":
			row.Role, row.Of = RoleControl, "a"
		}
		for round := range 6 {
			ns := cost * slow * float64(1+round)
			row.Cost = append(row.Cost, Trial{Instance: round / 2, Round: round, NS: ns, Units: 1})
			row.ByKind = append(row.ByKind, Trial{Instance: round / 2, Round: round, NS: ns, Units: 1, Kinds: []KindTime{{Count: 1, NS: ns}}})
		}
		c.Rows = append(c.Rows, row)
	}
	return Named{name, &Run{
		Format: Format, Version: Version, Complete: true, Seconds: 2,
		Environment: Environment{Go: "go1.26", CPU: name, Cores: int(2 * slow)},
		Parameters:  Parameters{Profile: "full", Seed: 1, Shard: name, Workloads: []string{"hold"}},
		Cells:       []Cell{c}, Memory: []Memory{{Structure: name}}, Calls: []Calls{{Structure: name}},
	}}
}

func TestShardsAreMerged(t *testing.T) {
	one := shardOf("1/2", 1, map[string]float64{"null": 1, "quadheap": 10, "a": 5, "a-control": 5})
	two := shardOf("2/2", 3, map[string]float64{"null": 1, "quadheap": 10, "b": 20})
	two.Cells = append(two.Cells, Cell{Workload: "hold", N: 5})
	two.Cells[0].Rows[2].Cost = append(two.Cells[0].Rows[2].Cost, Trial{Round: 6, NS: 60, Units: 1}) // the references have six rounds
	measured := two.Cells[0].Rows[2].Cost[4].NS
	r, err := MergeShards([]Named{two, one})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Machines) != 2 || r.Machines[1].CPU != "2/2" || r.Environment.CPU != "1/2" || r.Seconds != 4 || len(r.Memory) != 2 || len(r.Calls) != 2 || r.Parameters.Shard != "" {
		t.Errorf("%+v", r)
	}
	if len(r.Cells) != 2 || r.Cells[0].N != 5 || r.Cells[0].Machine != 1 || r.Cells[1].Machine != 0 {
		t.Fatalf("cells %+v", r.Cells)
	}
	c := r.Cells[1]
	var names []string
	for _, row := range c.Rows {
		names = append(names, row.Structure)
	}
	if got := strings.Join(names, " "); got != "null quadheap a a-control b" {
		t.Errorf("rows %s", got)
	}
	b := c.Rows[4]
	for _, trial := range b.Cost {
		want := 20 * float64(1+trial.Round)
		if trial.Round == 6 {
			want = 60.0 / 3
		}
		if math.Abs(trial.NS-want) > 1e-9 {
			t.Errorf("round %d: %g ns on the first machine, want %g", trial.Round, trial.NS, want)
		}
	}
	if b.Machine != 1 || b.Cost[4].MeasuredNS != measured || c.Rows[2].Cost[0].MeasuredNS != 0 {
		t.Errorf("what was measured is lost: %+v", b)
	}
	if math.Abs(b.ByKind[1].Kinds[0].NS-40) > 1e-9 {
		t.Errorf("%g ns by kind, want 40", b.ByKind[1].Kinds[0].NS)
	}
	if len(c.Parts) != 1 || c.Parts[0].Machine != 1 || len(c.Parts[0].Rows) != 2 || c.Parts[0].Rows[1].Cost[0].NS != 30 {
		t.Errorf("the reference of the second machine is not as measured: %+v", c.Parts)
	}
	if two.Cells[0].Rows[2].Cost[4].NS != measured {
		t.Error("merging changed a shard")
	}
}

func TestShardsThatDoNotBelongTogetherAreRefused(t *testing.T) {
	shard := func(name string, change func(*Run)) Named {
		s := shardOf(name, 1, map[string]float64{"quadheap": 10})
		s.Name = "folder-" + strings.ReplaceAll(name, "/", "-of-")
		if change != nil {
			change(s.Run)
		}
		return s
	}
	first := shard("1/2", nil)
	for want, shards := range map[string][]Named{
		"no shards":                                 nil,
		"shard 2/2 is missing":                      {first},
		"are both shard 1/2":                        {first, shard("1/2", nil)},
		"folder-2-of-3 is shard":                    {first, shard("2/3", nil)},
		"folder-2-of-2, shard 2/2, is not complete": {first, shard("2/2", func(r *Run) { r.Complete = false })},
		"folder-1-of-2 and folder-2-of-2 are not of one run: seed was 1, is 2": {first, shard("2/2", func(r *Run) { r.Parameters.Seed = 2 })},
		`not of one build: revision was "", is "abc"`:                          {first, shard("2/2", func(r *Run) { r.Environment.Revision = "abc" })},
		"is not a shard of a run":                                              {shard("1/2", func(r *Run) { r.Parameters.Shard = "" })},
		"no structure is in all parts":                                         {first, shard("2/2", func(r *Run) { r.Cells[0].Rows[0].Structure = "other" })},
	} {
		if _, err := MergeShards(shards); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestLayoutsAreMerged(t *testing.T) {
	layout := func(n int) Named {
		r := shardOf("1/1", 1, map[string]float64{"null": 1, "quadheap": 10, "a": 5, "a-control": 5})
		for i := range r.Cells[0].Rows {
			row := &r.Cells[0].Rows[i]
			row.WithGC = append(row.WithGC, row.Cost[:2]...)
			for _, trials := range [][]Trial{row.Cost, row.ByKind, row.WithGC} {
				for j := range trials {
					trials[j].Layout = n
				}
			}
		}
		return r
	}
	one, two := layout(1), layout(2)
	one.Cells[0].Rows[1].Stopped, two.Cells[0].Rows[1].Stopped = StoppedBeaten, StoppedBudget
	one.Cells[0].Rows[2].Stopped, two.Cells[0].Rows[2].Stopped = StoppedBeaten, StoppedBeaten
	two.Cells[0].Rows[3].Structure = "b-control"
	r, err := MergeLayouts([]Named{one, two})
	if err != nil {
		t.Fatal(err)
	}
	rows := r.Cells[0].Rows
	if len(rows) != 5 || rows[4].Structure != "b-control" || rows[1].Stopped != StoppedBudget || rows[2].Stopped != StoppedBeaten {
		t.Fatalf("rows %+v", rows)
	}
	for i, trial := range rows[1].Cost {
		if len(rows[1].Cost) != 12 || trial.Round != i || trial.Instance != i/2 || trial.Layout != 1+i/6 {
			t.Errorf("trial %d: layout %d, instance %d, round %d", i, trial.Layout, trial.Instance, trial.Round)
		}
	}
	for _, trials := range [][]Trial{rows[4].Cost, rows[4].ByKind} {
		if trials[0].Round != 6 || trials[0].Instance != 3 {
			t.Errorf("a control of the second layout begins with %+v", trials[0])
		}
	}
	if gc := rows[1].WithGC; len(gc) != 4 || gc[2].Round != 6 || gc[2].Instance != 3 {
		t.Errorf("with the collector on: %+v", gc)
	}
	if len(one.Cells[0].Rows[1].Cost) != 6 || one.Cells[0].Rows[1].Cost[0].Layout != 1 || r.Seconds != 4 || r.Cells[0].Seconds != 2 {
		t.Error("merging changed a layout, or the times are not summed up")
	}

	two = layout(2)
	two.Cells[0].Rows = two.Cells[0].Rows[:2] // a failed
	two.Failures = []Failure{{Structure: "a"}}
	if r, err = MergeLayouts([]Named{layout(1), two}); err != nil || len(r.Failures) != 1 {
		t.Fatal(err)
	}
	for _, row := range r.Cells[0].Rows {
		if row.Structure == "a" {
			t.Error("a has a row in spite of its failure in one layout")
		}
	}
	two.Parameters.Seed = 9
	if _, err := MergeLayouts([]Named{layout(1), two}); err == nil || !strings.Contains(err.Error(), "seed was 1, is 9") {
		t.Errorf("error %v", err)
	}
}
