package replay

import (
	"fmt"
	"runtime"
	"weak"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
)

// Releases returns the structures that keep references to the values of timers that fired or were cancelled. Their values
// are pointers, while a timed replay uses numbers.
func Releases(entries []entry.For[*[64]byte]) []results.Failure {
	var out []results.Failure
	for _, e := range entries {
		if err := checkReleases(e.New()); err != nil {
			out = append(out, results.Failure{Structure: e.Name, Where: "the release of values", Reason: err.Error()})
		}
	}
	return out
}

func checkReleases(s structures.Scheduler[*[64]byte]) error {
	const n, fireBy = 1000, 500
	values := make([]weak.Pointer[[64]byte], n)
	ids := make([]structures.ID, n)
	for i := range n {
		value := new([64]byte)
		values[i] = weak.Make(value)
		ids[i] = s.Schedule(structures.Tick(1+i), value)
	}
	done := make([]bool, n)
	for i := 0; i < n; i += 3 {
		done[i] = s.Cancel(ids[i])
	}
	for t := range structures.Due(s, fireBy) {
		done[t.Deadline-1] = true
	}
	runtime.GC()
	for i, value := range values {
		if done[i] && value.Value() != nil {
			return fmt.Errorf("it keeps the value of a timer that was cancelled or has fired, "+
				"number %d of %d", i, n)
		}
	}
	runtime.KeepAlive(s)
	return nil
}
