package section

import (
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
)

// The figures of the tables are in the units of their headings.
func TestTheFiguresAreInTheUnitsOfTheirHeadings(t *testing.T) {
	use := results.LiveUse{Seconds: 2, CPUSeconds: 0.5, Sleeps: 40, Wakeups: 60}
	row := results.LiveRow{
		Name: "time", Role: results.RoleBaseline, Resident: results.FewTimers, Idle: []results.LiveUse{use},
		Lateness: []results.LiveLateness{{Rate: 5000, Timers: 10, P50: 2e3, P90: 3e3, P99: 4e3, P999: 5e3, Max: 6e6, Use: use}},
	}
	for _, op := range results.Ops {
		row.Throughput = append(row.Throughput, results.LiveThroughput{Op: op, Goroutines: 1, Ops: 1000, NS: 500_000, CPUNS: 250_000})
	}
	for _, form := range results.Forms {
		row.Memory = append(row.Memory, results.LiveMemory{Form: form, Bytes: 120, CollectNS: 3e6})
	}
	l := &results.Live{Goroutines: []int{1}, Rows: []results.LiveRow{row}}
	got := append(LiveCosts(l), LiveTables(l)...)
	same := func(cell string, n int) []string {
		return append([]string{"time"}, slices.Repeat([]string{cell}, n)...)
	}
	want := [][]string{
		same("250", len(results.Ops)), // ns
		same("2", len(results.Ops)),   // million a second
		{"time", "5,000", "2 µs", "3 µs", "4 µs", "5 µs", "6 ms", "250", "30", "20"}, // ms/s, and a second
		same("120 B, 3 ms", len(results.Forms)),
		{"time", "250", "30", "20"},
	}
	for i, cells := range want {
		if i >= len(got) || len(got[i].Rows) != 1 || !slices.Equal(texts(got[i].Rows[0]), cells) {
			t.Errorf("table %d is %+v, want %q", i, got[min(i, len(got)-1)], cells)
		}
	}
}

// A percentile that differs by more than a factor of 10 between the rounds is not known.
func TestATailThatMovesIsNotKnown(t *testing.T) {
	row := results.LiveRow{Name: "time", Resident: results.FewTimers}
	for _, tail := range []float64{5e3, 6e3, 51e3} {
		row.Lateness = append(row.Lateness, results.LiveLateness{Rate: 5000, Timers: 10, P50: 2e3, P90: 3e3, P99: 4e3, P999: tail, Max: 6e6})
	}
	for _, table := range LiveTables(&results.Live{Goroutines: []int{1}, Rows: []results.LiveRow{row}}) {
		if got := texts(table.Rows[0]); len(got) > 5 && (got[4] != "4 µs" || got[5] != show.Unknown) {
			t.Errorf("%q, want a p99 and no p99.9", got)
		} else if len(got) > 5 {
			return
		}
	}
	t.Error("no table of lateness")
}

func texts(row *show.Row) (out []string) {
	for _, c := range row.Cells {
		out = append(out, c.Text)
	}
	return out
}
