package live

import (
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// The figures of the tables are in the units of their headings.
func TestTheFiguresAreInTheUnitsOfTheirHeadings(t *testing.T) {
	use := results.LiveUse{Seconds: 2, CPUSeconds: 0.5, Sleeps: 40, Wakeups: 60}
	row := results.LiveRow{
		Name: "time", Role: results.RoleBaseline, Resident: fewTimers, Idle: []results.LiveUse{use},
		Lateness: []results.LiveLateness{{Rate: 5000, Timers: 10, P50: 2e3, P90: 3e3, P99: 4e3, P999: 5e3, Max: 6e6, Use: use}},
	}
	for _, op := range Ops() {
		row.Throughput = append(row.Throughput, results.LiveThroughput{Op: string(op), Goroutines: 1, Ops: 1000, NS: 500_000, CPUNS: 250_000})
	}
	for _, form := range Forms() {
		row.Memory = append(row.Memory, results.LiveMemory{Form: string(form), Bytes: 120, CollectNS: 3e6})
	}
	got := Tables(&results.Live{Goroutines: []int{1}, Rows: []results.LiveRow{row}})
	same := func(cell string, n int) []string {
		return append([]string{"time"}, slices.Repeat([]string{cell}, n)...)
	}
	want := [][]string{
		same("2", len(Ops())),   // million a second
		same("250", len(Ops())), // ns
		{"time", "5,000", "2 µs", "3 µs", "4 µs", "5 µs", "6 ms", "250", "30", "20"}, // ms/s, and a second
		same("120 B, 3 ms", len(Forms())),
		{"time", "250", "30", "20"},
	}
	for i, cells := range want {
		if i >= len(got) || len(got[i].Rows) != 1 || !slices.Equal(got[i].Rows[0], cells) {
			t.Errorf("table %d is %+v, want %q", i, got[min(i, len(got)-1)], cells)
		}
	}
}
