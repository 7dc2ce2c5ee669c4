package tickmap

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// A search among evenly spaced ticks must be short, whatever their distance, powers of two and Fibonacci numbers
// among them: with a random hash it takes at most 1.5 looks on average.
func TestEvenlySpacedTicksDoNotGather(t *testing.T) {
	const n = 10_000
	steps := []structures.Tick{1, 10, 1000, 60_000, 1_000_000, 1_000_000_000}
	for bit := 1; bit < 40; bit++ {
		steps = append(steps, 1<<bit, 3<<bit, 1000<<bit)
	}
	for a, b := structures.Tick(1), structures.Tick(2); b < 1<<48; a, b = b, a+b {
		steps = append(steps, b)
	}
	for _, step := range steps {
		var m Map
		for i := range structures.Tick(n) {
			m.Put((i+1)*step, 1)
		}
		looks, mask := 0, len(m.entries)-1
		for i, e := range m.entries {
			if e.tick != 0 {
				looks += 1 + (i-m.home(e.tick))&mask
			}
		}
		if average := float64(looks) / n; average > 2 {
			t.Errorf("ticks %d apart: %.1f looks a search, want at most 2", step, average)
		}
		if 2*n > len(m.entries) || len(m.entries) > 4*n {
			t.Errorf("room for %d entries, want 2 to 4 times %d", len(m.entries), n)
		}
	}
}
