package trace

import (
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"testing"
)

// version-1.trace was written when the format was new: 3,000 operations of all
// kinds in four chunks. Every later reader must return the same operations.
func TestAnOldTraceIsStillRead(t *testing.T) {
	data, err := os.ReadFile("testdata/version-1.trace")
	if err != nil {
		t.Fatal(err)
	}
	ops, r, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	if r.Header() != testHeader {
		t.Errorf("header %+v, want %+v", r.Header(), testHeader)
	}
	if got, want := r.Totals(), (Totals{Ops: [kinds]uint64{699, 490, 277, 532, 499, 503}, Fired: 373, First: 0, Last: 770, Keys: 55}); got != want {
		t.Errorf("totals %+v, want %+v", got, want)
	}
	hash := fnv.New64a()
	for _, op := range ops {
		slices.Sort(op.Fired)
		fmt.Fprintln(hash, op.Kind, op.Key, op.At, op.Fired)
	}
	if got := hash.Sum64(); len(ops) != 3000 || got != 0x2c1586ba4c7928b0 {
		t.Errorf("%d operations with hash %#x, want 3000 with %#x", len(ops), got, uint64(0x2c1586ba4c7928b0))
	}
}
