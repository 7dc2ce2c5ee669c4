package replay

import (
	"fmt"
	"runtime"
	"slices"
	"weak"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

// Releases returns the structures that keep references to the values of timers that fired or were cancelled.
func Releases(entries []entry.Entry) []results.Failure {
	var out []results.Failure
	for _, e := range entries {
		if err := checkReleases(e.Name); err != nil {
			out = append(out, results.Failure{
				Structure: e.Name, Where: "the release of values", Reason: err.Error(),
			})
		}
	}
	return out
}

// checkReleases returns an error if a structure of the catalog keeps references to the values of timers that were
// cancelled or fired. It uses pointers as values, while a timed replay uses numbers.
func checkReleases(name string) error {
	entries := append(catalog.For[*[64]byte](), catalog.IntrusiveFor[*[64]byte]()...)
	i := slices.IndexFunc(entries, func(e entry.For[*[64]byte]) bool { return e.Name == name })
	if i < 0 {
		return nil // not in the catalog
	}
	return checkReleasesOf(entries[i].New())
}

func checkReleasesOf(s structures.Scheduler[*[64]byte]) error {
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
