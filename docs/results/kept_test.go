package kept

import (
	"testing"

	"github.com/timerbench/timerbench/bench/results/store"
)

// Each file is that of a machine, under its name, small, and no more than what is kept of a run.
func TestEachFileIsOfOneMachine(t *testing.T) {
	list, err := files.ReadDir(".")
	if err != nil || len(list) == 0 {
		t.Fatalf("%d files, %v", len(list), err)
	}
	last, err := Last()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		data, _ := files.ReadFile(f.Name())
		r, err := store.Decode(data)
		if err != nil {
			t.Fatalf("%s: %v", f.Name(), err)
		}
		if want := store.Slug(r.Environment) + ".json.gz"; f.Name() != want || len(data) > store.MostKept {
			t.Errorf("%s: %d bytes, want at most %d and the name %s", f.Name(), len(data), store.MostKept, want)
		}
		if err := r.Check(); err != nil {
			t.Errorf("%s: %v", f.Name(), err)
		}
		if r.Created.After(last.Created) {
			t.Errorf("the last run is of %v, %s is later", last.Created, f.Name())
		}
	}
}
