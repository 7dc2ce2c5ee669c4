package timerbench_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/workload"
)

// The adapters and the floors that need nothing but Go, Python and a C compiler pass the proof.
func TestAdaptersHoldTheProof(t *testing.T) {
	dir := t.TempDir()
	commands := make(map[string][]string)
	build := func(name string, command ...string) {
		path := filepath.Join(dir, name)
		if out, err := exec.Command(command[0], append(command[1:], "-o", path)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		commands[name] = []string{path}
	}
	build("go-binheap", "go", "build", "-C", "binheap")
	build("go-floor", "go", "build", "-C", "floor")
	if cc, err := exec.LookPath("cc"); err == nil {
		build("c-floor", cc, "-O2", "-I../../bench/external/files", "../c/floor.c")
	}
	if python, err := exec.LookPath("python3"); err == nil {
		commands["python-heapq"] = []string{python, "../python/heapq_timers.py"}
		commands["python-floor"] = []string{python, "../python/floor.py"}
	}
	for name, args := range commands {
		for _, of := range []string{"hold", "cancel-hold-50", "reschedule", "fill-drain"} {
			t.Run(name+" "+of, func(t *testing.T) {
				p, err := external.Start(t.Context(), external.Spec{Name: name, Args: args}, &external.Blocks{})
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				if p.Floor != strings.HasSuffix(name, "-floor") {
					t.Errorf("it says floor: %v", p.Floor)
				}
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
