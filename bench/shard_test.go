package bench

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Every step is in one shard. A cell is split only if it takes longer than a shard, its
// parts are in different shards, and each has the reference.
func TestShardsDivideARun(t *testing.T) {
	full, _ := FindProfile("full")
	cfg := Config{Profile: full, Structures: catalog.All(), Workloads: full.Workloads(), Trials: full.Trials}
	all := allSteps(cfg, replay.Clock{}, nil)
	for _, shards := range []int{2, 7, 40} {
		seen := make(map[string][]string)
		longest, total := 0.0, 0.0
		for i := range shards {
			cfg.Shard = Shard{i + 1, shards}
			sum := 0.0
			here := make(map[string]bool)
			for _, s := range stepsOf(cfg, replay.Clock{}, nil) {
				if here[s.name] {
					t.Errorf("%d shards: two parts of %s are in one", shards, s.name)
				}
				here[s.name] = true
				sum += s.duration()
				if !s.once && !slices.ContainsFunc(s.entries, func(e catalog.Entry) bool { return e.Name == ReferenceName }) {
					t.Errorf("%d shards: a part of %s has no reference", shards, s.name)
				}
				for _, e := range s.entries {
					if s.once || e.Name != ReferenceName {
						seen[s.name] = append(seen[s.name], e.Name)
					}
				}
			}
			longest, total = max(longest, sum), total+sum
		}
		for _, s := range all {
			var want []string
			for _, e := range s.entries {
				if s.once || e.Name != ReferenceName {
					want = append(want, e.Name)
				}
			}
			got := seen[s.name]
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%d shards measure %s of %q, want %q", shards, s.name, got, want)
			}
		}
		if longest > 1.6*total/float64(shards) {
			t.Errorf("%d shards: the longest takes %.0f s of %.0f s", shards, longest, total)
		}
	}
}

func TestThePlanNamesShards(t *testing.T) {
	full, _ := FindProfile("full")
	cfg := Config{Profile: full, Structures: catalog.All(), Workloads: full.Workloads(), Layouts: full.Layouts}
	p := PlanRun(cfg, 1800)
	if p.Slowest > 1800 || p.Shards < 2 || p.Seconds < 3600 {
		t.Errorf("%.0f s in %d shards of up to %.0f s, want at most 1800", p.Seconds, p.Shards, p.Slowest)
	}
	cfg = tinyRun(t, []string{"hwheel"}, []string{"hold"})
	if p = PlanRun(cfg, 1800); p.Shards != 1 || len(p.Steps) != 1 || p.Steps[0].Rounds != 2 || p.Steps[0].Name != "hold, n 50" {
		t.Errorf("%+v", p)
	}
}

// Two shards of one cell give the same ratio as a run of the whole.
func TestShardsOfACellAreMergedByTheReference(t *testing.T) {
	cfg := tinyRun(t, nil, []string{"hold"})
	cfg.Structures = []catalog.Entry{heapEntry("a", 800, nil), heapEntry(ReferenceName, 400, nil), heapEntry("b", 200, nil)}
	cfg.Trials = 6
	whole, err := Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	var shards []results.Named
	for i := range 2 {
		cfg.Shard = Shard{i + 1, 2}
		r, err := Run(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Cells) != 1 || r.Parameters.Shard != cfg.Shard.String() {
			t.Fatalf("shard %s has %d cells", cfg.Shard, len(r.Cells))
		}
		rowNamed(t, r.Cells[0], ReferenceName)
		if !slices.ContainsFunc(r.Cells[0].Rows, func(row results.Row) bool { return row.Role == results.RoleControl }) {
			t.Errorf("shard %s has no control", cfg.Shard)
		}
		shards = append(shards, results.Named{Name: cfg.Shard.String(), Run: r})
	}
	merged, err := results.MergeShards(shards)
	if err != nil {
		t.Fatal(err)
	}
	c := merged.Cells[0]
	got, want := medianRatio(c, "a", "b"), medianRatio(whole.Cells[0], "a", "b")
	// What merging computes is tested in package results. Here the times are real, of a
	// machine that may be busy.
	if len(merged.Cells) != 1 || len(c.Parts) != 1 || math.Abs(math.Log(got/want)) > math.Log(3) {
		t.Errorf("%d cells of %d further parts; a / b is %.2f, in one run %.2f", len(merged.Cells), len(c.Parts), got, want)
	}
}
