package timerbench_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/workload"
)

// The adapters that need nothing but Go and Python replay what they are given, and what they do is
// proved.
func TestAdaptersHoldTheProof(t *testing.T) {
	binheap := filepath.Join(t.TempDir(), "binheap")
	if out, err := exec.Command("go", "build", "-o", binheap, "./binheap").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	commands := map[string][]string{"go-binheap": {binheap}}
	if python, err := exec.LookPath("python3"); err == nil {
		commands["python-heapq"] = []string{python, "../python/heapq_timers.py"}
	}
	for name, args := range commands {
		for _, of := range []string{"hold", "cancel-hold-50", "reschedule", "fill-drain"} {
			t.Run(name+" "+of, func(t *testing.T) {
				p, err := external.Start(t.Context(), external.Spec{Name: name, Args: args}, &external.Blocks{})
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				w, ok := workload.Find(of)
				if !ok {
					t.Fatalf("no workload %s", of)
				}
				for range 2 { // the second time on a fresh instance of the same process
					s := w.Script(300, 1)
					b := s.Fill()
					if err := p.Begin(b.Keys); err != nil {
						t.Fatal(err)
					}
					for i := range 5 {
						if _, err := p.Replay(b, i%2 == 1); err != nil {
							t.Fatal(err)
						}
						b = s.Next(500, nil)
					}
				}
			})
		}
	}
}
