package report

import (
	"math"
	"reflect"
	"testing"

	"github.com/timerbench/timerbench/bench"
)

func TestVerdicts(t *testing.T) {
	row := func(name string, role bench.Role, ns ...float64) bench.Row {
		return bench.Row{Structure: name, Role: role, Cost: trials(ns...)}
	}
	cell := bench.Cell{Workload: "hold", N: 1000, Rows: []bench.Row{
		row("null", bench.RoleFloor, 1, 1, 1, 1, 1, 1),
		row("slow", bench.RoleStructure, 8, 8, 8, 8, 8, 8),
		row("tie", bench.RoleStructure, 2, 3, 3, 3, 3, 6.5),
		row("best", bench.RoleStructure, 1, 2, 2, 2, 2, 4),
	}}
	small := bench.Cell{Workload: "hold", N: 10, Unit: bench.PerTick, Rows: []bench.Row{row("best", bench.RoleStructure, 3)}}
	empty := bench.Cell{Workload: "churn", N: 10}
	got := Verdicts(&bench.Results{Cells: []bench.Cell{cell, empty, small}})
	want := []Verdict{
		{Workload: "hold", N: 10, Unit: bench.PerTick, NS: 3, Fastest: []string{"best"}},
		{Workload: "hold", N: 1000, Unit: bench.PerLifecycle, NS: 2, Spread: 1, Fastest: []string{"best", "tie"}, Others: []Multiple{{"slow", 4}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if len(got) > 0 && math.IsInf(got[0].Spread, 0) {
		t.Error("a single trial has a spread")
	}
}
