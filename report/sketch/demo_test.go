package sketch

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/schedtest/model"
	"github.com/timerbench/timerbench/structures/shape"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// One structure of each shape, and the structures that leave entries behind.
func TestDrawings(t *testing.T) {
	for _, name := range []string{"list", "minheap", "quadheap-lazy", "pairingheap", "radixheap", "wheel", "hwheel", "calendar", "bucketheap", "rbtree", "skiplist"} {
		e, _ := catalog.Find(name)
		got := Drawing(Steps(e.New()), Columns).String()
		path := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is drawn in another way than %s shows: look at both, then run with -update:\n%s", name, path, got)
		}
	}
}

// The steps do what their titles say: the same timers fire in every exact structure, and
// each snapshot shows what a list of timers would.
func TestStepsDoWhatTheySay(t *testing.T) {
	if steps := Steps(new(model.Model[uint64])); steps != nil || Work(Frame{}) != "not counted" {
		t.Errorf("%d steps of what does not show its shape", len(steps))
	}
	for _, e := range catalog.All() {
		steps := Steps(e.New())
		if steps == nil {
			continue // it does not show its shape
		}
		if len(steps) != 7 {
			t.Errorf("%s: %d steps", e.Name, len(steps))
			continue
		}
		all := [][]structures.Tick{
			{103, 103, 110, 118, 180, 210, 300, 420, 700, 1500, 5000, 70_000},
			{103, 103, 110, 118, 180, 210, 300, 350, 420, 700, 1500, 5000, 70_000},
			{103, 103, 110, 118, 180, 300, 350, 420, 700, 1500, 5000, 70_000},
			{103, 103, 110, 180, 300, 350, 420, 700, 900, 1500, 5000, 70_000},
			{103, 103, 110, 130, 180, 300, 350, 420, 700, 900, 1500, 70_000},
			{110, 130, 180, 300, 350, 420, 700, 900, 1500, 70_000},
			{700, 900, 1500, 70_000},
		}
		wantFired := []structures.Tick{103, 103, 110, 130, 180, 300, 350, 420}
		if e.Name == "sweep" { // at tick 1000
			all[5], all[6] = all[4], []structures.Tick{1500, 70_000}
			wantFired = append(wantFired, 700, 900)
		}
		for i, want := range all {
			if got := pending(steps[i].Snapshot); !slices.Equal(got, want) {
				t.Errorf("%s after %q shows %v, want %v", e.Name, steps[i].Title, got, want)
			}
		}
		fired := slices.Concat(steps[5].Fired, steps[6].Fired)
		if e.Name == "sweep" {
			slices.Sort(fired) // any order
		}
		if !slices.Equal(fired, wantFired) {
			t.Errorf("%s: fired %v, want %v", e.Name, fired, wantFired)
		}
		if !steps[0].Counted {
			t.Errorf("%s: its work is not read", e.Name)
		}
	}
}

func pending(s shape.Snapshot) []structures.Tick {
	var out []structures.Tick
	for _, p := range s.Parts {
		for _, c := range p.Cells {
			for _, e := range c.Entries {
				if !e.Stale() {
					out = append(out, e.Deadline)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}
