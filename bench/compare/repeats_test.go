package compare

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

var (
	update   = flag.Bool("update", false, "write repeats.json from -runs")
	repeated = flag.String("runs", "", "results `files` of one build on one machine, separated by commas")
)

func TestRepeats(t *testing.T) {
	t.Parallel()
	if *update && *repeated != "" {
		var runs []*results.Run
		for path := range strings.SplitSeq(*repeated, ",") {
			r, err := results.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, r)
		}
		learnt, err := repeatsOf(runs)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := json.MarshalIndent(learnt, "", "\t")
		if err := os.WriteFile("repeats.json", append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, largest := range kept.Largest {
		if !(largest >= 0 && largest < math.Log(5)) {
			t.Errorf("%s: two runs of one build differ by exp(%v)", name, largest)
		}
	}
}

// A structure whose rows flip between two processes of one build needs a larger difference than the others.
func TestARowThatFlipsBetweenProcessesIsNoDifference(t *testing.T) {
	t.Parallel()
	random := newRandom(9)
	flips := typical.with(func(m *model) { m.slow = map[string]float64{"s1": 1.6} })
	learnt, err := repeatsOf([]*results.Run{typical.simulate(random), flips.simulate(random), typical.simulate(random)})
	if err != nil || math.Abs(learnt.Largest["s1"]-math.Log(1.6)) > 0.1 || learnt.Largest["s2"] > 0 || learnt.floorOf("new") > 0 {
		t.Fatalf("%v: %+v", err, learnt)
	}
	for factor, want := range map[float64]Verdict{1.5: Same, 2.5: Slower} {
		found := pairsOf(typical.simulate(random), typical.with(func(m *model) { m.slow = map[string]float64{"s1": factor, "s2": 1.5} }).simulate(random), false)
		judge(found, false, usual, learnt)
		for _, p := range found {
			if wanted := map[string]Verdict{"s1": want, "s2": Slower}[p.row.Structure]; wanted != "" && p.judged() && p.row.Verdict != wanted {
				t.Errorf("%s is %.2f times as slow: %+v, want %s", p.row.Structure, factor, p.row, wanted)
			}
		}
	}
	other := typical.simulate(random)
	other.Environment.Revision = "other"
	if _, err := repeatsOf([]*results.Run{typical.simulate(random), other}); err == nil {
		t.Error("runs of two builds are no repeats")
	}
}

// repeatsOf learns from runs of one build on one machine.
func repeatsOf(runs []*results.Run) (Repeats, error) {
	if len(runs) < 2 {
		return Repeats{}, fmt.Errorf("%d runs: want at least two", len(runs))
	}
	e := runs[0].Environment
	out := Repeats{Machine: e.CPU, Revision: e.Revision, Runs: len(runs), Largest: make(map[string]float64)}
	for i, old := range runs {
		for _, new := range runs[i+1:] {
			if n := new.Environment; n.CPU != e.CPU || n.Revision != e.Revision {
				return Repeats{}, fmt.Errorf("runs of %s at %s and of %s at %s: want one machine and one build", e.CPU, e.Revision, n.CPU, n.Revision)
			}
			found := pairsOf(old, new, false)
			judge(found, false, Options{Alpha: 0.05, MinEffect: 0.05}, Repeats{})
			for _, p := range found {
				if log := math.Abs(math.Log(p.row.Adjusted.Center)); p.judged() && (p.row.Verdict == Slower || p.row.Verdict == Faster) {
					out.Largest[p.row.Structure] = max(out.Largest[p.row.Structure], math.Round(1000*log)/1000)
				}
			}
		}
	}
	return out, nil
}
