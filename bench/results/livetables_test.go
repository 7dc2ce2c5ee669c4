package results

import (
	"math"
	"slices"
	"testing"
)

// The figures of the tables are in the units of their headings.
func TestTheFiguresAreInTheUnitsOfTheirHeadings(t *testing.T) {
	use := LiveUse{Seconds: 2, CPUSeconds: 0.5, Sleeps: 40, Wakeups: 60}
	row := LiveRow{
		Name: "time", Role: RoleBaseline, Resident: FewTimers, Idle: []LiveUse{use},
		Lateness: []LiveLateness{{Rate: 5000, Timers: 10, P50: 2e3, P90: 3e3, P99: 4e3, P999: 5e3, Max: 6e6, Use: use}},
	}
	for _, op := range Ops {
		row.Throughput = append(row.Throughput, LiveThroughput{Op: op, Goroutines: 1, Ops: 1000, NS: 500_000, CPUNS: 250_000})
	}
	for _, form := range Forms {
		row.Memory = append(row.Memory, LiveMemory{Form: form, Bytes: 120, CollectNS: 3e6})
	}
	got := (&Live{Goroutines: []int{1}, Rows: []LiveRow{row}}).Tables()
	same := func(cell string, n int) []string {
		return append([]string{"time"}, slices.Repeat([]string{cell}, n)...)
	}
	want := [][]string{
		same("2", len(Ops)),   // million a second
		same("250", len(Ops)), // ns
		{"time", "5,000", "2 µs", "3 µs", "4 µs", "5 µs", "6 ms", "250", "30", "20"}, // ms/s, and a second
		same("120 B, 3 ms", len(Forms)),
		{"time", "250", "30", "20"},
	}
	for i, cells := range want {
		if i >= len(got) || len(got[i].Rows) != 1 || !slices.Equal(got[i].Rows[0], cells) {
			t.Errorf("table %d is %+v, want %q", i, got[min(i, len(got)-1)], cells)
		}
	}
}

// Ratios are those of rounds, and compare what replaces what.
func TestRatio(t *testing.T) {
	slice := func(op Op, round int, perSecond int) LiveThroughput {
		return LiveThroughput{Op: op, Goroutines: 2, Turn: round, Ops: perSecond, NS: 1e9}
	}
	base := LiveRow{Throughput: []LiveThroughput{
		slice(StartStop(FormAfterFunc), 0, 10), slice(StartStop(FormAfterFunc), 1, 20), slice(StartStop(FormAfterFunc), 2, 40),
	}}
	row := LiveRow{Throughput: []LiveThroughput{
		slice(StartStop(FormSchedule), 0, 20), slice(StartStop(FormSchedule), 1, 80), slice(StartStop(FormSchedule), 2, 120), slice(OpReset, 0, 1),
	}}
	if got := row.Ratio(base, StartStop(FormSchedule), 2); math.Abs(got-3) > 1e-9 {
		t.Errorf("%g", got)
	}
	if got := row.Ratio(base, StartStop(FormSchedule), 4); !math.IsNaN(got) {
		t.Errorf("%g for what was not measured", got)
	}
	if got := row.Ratio(base, OpReset, 2); !math.IsNaN(got) {
		t.Errorf("%g of nothing", got)
	}
	got, lower, upper, ok := row.PerSecond(StartStop(FormSchedule), 2)
	if !ok || math.Abs(got-80) > 1e-9 || math.Abs(lower-20) > 1e-9 || math.Abs(upper-120) > 1e-9 {
		t.Errorf("%g, %g to %g, %t", got, lower, upper, ok)
	}
	if _, _, _, ok := row.PerSecond(OpFire, 2); ok {
		t.Error("a throughput of what was not measured")
	}
}
