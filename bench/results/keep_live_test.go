package results

import (
	"slices"
	"testing"
)

// A kept run says what Go's own timers cost, and the driver: the slices of the number of goroutines that all numbers of timers
// have. The rest of the measurement is not kept.
func TestAKeptRunHasTheCostOfGoTimers(t *testing.T) {
	slice := func(goroutines int) LiveThroughput {
		return LiveThroughput{Op: OpReset, Goroutines: goroutines, Ops: 10, NS: 100, CPUNS: 50, Dead: 10, Due: 9}
	}
	r := &Run{Live: &Live{Goroutines: []int{2, 1}, Rows: []LiveRow{{
		Name: "time", Role: RoleBaseline, Resident: 100, Throughput: []LiveThroughput{slice(1), slice(2), slice(1)},
		Lateness: []LiveLateness{{Timers: 1}}, Idle: []LiveUse{{Seconds: 1}}, Memory: []LiveMemory{{Form: FormAfterFunc}},
	}}}}
	l := reduced(r).Live
	row, ok := l.OnDriver(100, "")
	if !ok || !slices.Equal(l.Goroutines, []int{2}) || !slices.Equal(row.Throughput, []LiveThroughput{slice(2)}) || len(row.Lateness)+len(row.Idle)+len(row.Memory) > 0 {
		t.Errorf("%+v", l)
	}
	if row.Throughput[0].OpNS() != 5 || len(r.Live.Rows[0].Throughput) != 3 {
		t.Errorf("%g ns, want 5; the run has %d slices left, want 3", row.Throughput[0].OpNS(), len(r.Live.Rows[0].Throughput))
	}
	if reduced(&Run{}).Live != nil {
		t.Error("a measurement under the real clock out of nothing")
	}
}

// Earlier versions had rows of Go's own timers in cells. They are left out.
func TestCellsHaveNoGoTimers(t *testing.T) {
	proof := Row{Structure: "auto", Role: RoleStructure}
	r := &Run{Format: Format, Version: Version, Cells: []Cell{{Workload: "churn", N: 10, Unit: "lifecycle", Rows: []Row{
		proof, {Structure: "time.AfterFunc", Role: RoleBaseline},
	}}}}
	data, err := sealed(r)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Decode(data); err != nil || len(got.Cells[0].Rows) != 1 || got.Cells[0].Rows[0].Structure != "auto" {
		t.Errorf("%+v, error %v", got, err)
	}
}
