package answer

import (
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Rows of structures that were removed since a run are left out everywhere, and the answers say so.
func TestStructuresOfOtherVersionsAreLeftOutWithANote(t *testing.T) {
	r, err := kept.Last()
	if err != nil {
		t.Fatal(err)
	}
	const gone = "a-removed-structure"
	for i := range r.Cells {
		rows := r.Cells[i].Rows
		if j := slices.IndexFunc(rows, func(row results.Row) bool { return row.Structure == "wheel" }); j >= 0 {
			rows[j].Structure = gone
		}
		for j := range rows {
			if rows[j].Of == "wheel" {
				rows[j].Of = gone
			}
		}
	}
	r.Memory = append(r.Memory, results.Memory{Structure: gone, N: 1000, Bytes: 1})
	r.Idle = append(r.Idle, results.Idle{Structure: gone})
	r.Calls = append(r.Calls, results.Calls{Structure: gone})
	cells := len(r.Cells[0].Rows)
	a := Of(r, catalog.All())
	if !slices.Contains(a.Unknown, gone) || len(r.Cells[0].Rows) != cells {
		t.Fatalf("left out are %q, %d rows of %d remain in the results", a.Unknown, len(r.Cells[0].Rows), cells)
	}
	for _, c := range a.Run.Cells {
		for _, row := range c.Rows {
			if row.Structure == gone || row.Of == gone {
				t.Errorf("%s has a row of %s", c.Workload, row.Structure)
			}
		}
	}
	if slices.ContainsFunc(a.Contenders, func(c RowName) bool { return c.Name == gone }) ||
		slices.ContainsFunc(a.Memory, func(m results.Memory) bool { return m.Structure == gone }) {
		t.Error("it is a contender, or has memory")
	}
	x, err := a.Adviser().Answer(Question{N: 1000, Cancel: Unknown, Reschedule: Unknown})
	if said := strings.Join(x.Missing, "\n"); err != nil || !strings.Contains(said, gone) || x.Of(gone) != nil {
		t.Errorf("%v, %q", err, said)
	}
}
