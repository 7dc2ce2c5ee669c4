package bench

import (
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/replay"
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
		for _, steps := range divide(all, shards) {
			sum := 0.0
			here := make(map[string]bool)
			for _, s := range steps {
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
		cfg.Shard = Shard{2, shards}
		if got, want := stepsOf(cfg, replay.Clock{}, nil), divide(all, shards)[1]; len(got) != len(want) || got[0].name != want[0].name {
			t.Errorf("%d shards: the second one has %d steps, want %d", shards, len(got), len(want))
		}
		if longest > 1.6*total/float64(shards) {
			t.Errorf("%d shards: the longest takes %.0f s of %.0f s", shards, longest, total)
		}
	}
}
