package bench

import (
	"slices"
	"testing"
	"time"
)

// Where the memory does not hold all structures of a cell, each is measured alone.
func TestStructuresThatDoNotFitTogetherAreMeasuredApart(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  Config
		want []string
	}{
		"smoke": {tinyRun(t, []string{"minheap", "hwheel", "hwheel-linux"}, []string{"churn"}),
			[]string{FloorName, "minheap", "hwheel", "hwheel-linux"}},
		"budget": {tinyRun(t, []string{"minheap", "hwheel"}, []string{"churn"}), []string{FloorName, "minheap", "hwheel"}},
	} {
		cfg := c.cfg
		if name == "budget" {
			cfg.Budget.Limit = time.Minute
		}
		step := func() Step {
			return planOf(t, cfg).Steps[0]
		}
		together := step()
		cfg.Memory = together.Bytes - 1
		if apart := step(); together.cell.apart || !apart.cell.apart || apart.Bytes >= together.Bytes {
			t.Fatalf("%s: %+v and %+v", name, together, apart)
		}
		r := run(t, cfg)
		var names []string
		for _, row := range r.Cells[0].Rows {
			if names = append(names, row.Structure); !row.Coarse && row.Proof != r.Cells[0].Rows[0].Proof || len(row.Cost) == 0 {
				t.Errorf("%s: %+v", name, row)
			}
		}
		if !r.Cells[0].Apart || !slices.Equal(names, c.want) {
			t.Errorf("%s: apart %t, rows %q, want %q", name, r.Cells[0].Apart, names, c.want)
		}
	}
}
