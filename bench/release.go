package bench

import (
	"fmt"
	"runtime"
	"slices"
	"weak"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
)

// releases checks that a structure of the catalog lets go of the values of timers that
// were cancelled or have fired. The values that are timed are numbers and could be kept
// unseen; these are pointers.
func releases(name string) error {
	entries := catalog.For[*[64]byte]()
	i := slices.IndexFunc(entries, func(e catalog.EntryFor[*[64]byte]) bool { return e.Name == name })
	if i < 0 {
		return nil // not of the catalog
	}
	return lettingGo(entries[i].New())
}

func lettingGo(s structures.Scheduler[*[64]byte]) error {
	const n, fireBy = 1000, 500
	values := make([]weak.Pointer[[64]byte], n)
	ids := make([]structures.ID, n)
	for i := range n {
		value := new([64]byte)
		values[i] = weak.Make(value)
		ids[i] = s.Schedule(structures.Tick(1+i), value)
	}
	gone := make([]bool, n)
	for i := 0; i < n; i += 3 {
		gone[i] = s.Cancel(ids[i])
	}
	for t := range structures.Due(s, fireBy) {
		gone[t.Deadline-1] = true
	}
	runtime.GC()
	for i, value := range values {
		if gone[i] && value.Value() != nil {
			return fmt.Errorf("it keeps the value of a timer that was cancelled or has fired, number %d of %d", i, n)
		}
	}
	runtime.KeepAlive(s)
	return nil
}
