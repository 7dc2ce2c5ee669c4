package report

import (
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
)

func round(v float64) float64 { return math.Round(v*1e6) / 1e6 }

func TestVerdicts(t *testing.T) {
	t.Parallel()
	row := func(name string, role results.Role, ns ...float64) results.Row {
		return results.Row{Structure: name, Role: role, Cost: trials(ns...)}
	}
	cell := results.Cell{Workload: "hold", N: 1000, Rows: []results.Row{
		row("null", results.RoleFloor, 1, 1, 1, 1, 1, 1),
		row("slow", results.RoleStructure, 8, 8, 8, 8, 8, 8),
		row("tie", results.RoleStructure, 2, 2, 2, 2, 2, 2),
		row("best", results.RoleStructure, 2, 2, 2, 2, 2, 2),
	}}
	small := results.Cell{Workload: "hold", N: 10, Unit: script.PerTick, Rows: []results.Row{row("best", results.RoleStructure, 3), row("other", results.RoleStructure, 9)}}
	empty := results.Cell{Workload: "churn", N: 10}
	got := Verdicts(&results.Run{Cells: []results.Cell{cell, empty, small}})
	for i := range got {
		got[i].Spread = round(got[i].Spread)
		for j := range got[i].Others {
			m := &got[i].Others[j]
			m.Times, m.Lo, m.Hi = round(m.Times), round(m.Lo), round(m.Hi)
		}
	}
	want := []Verdict{
		{Workload: "hold", N: 10, Unit: script.PerTick, NS: 3, Fastest: []string{"best"}, Unclear: []string{"other"}},
		{Workload: "hold", N: 1000, Unit: script.PerLifecycle, NS: 2, Spread: round(math.Exp(stats.BetweenRuns(1000)*distuv.UnitNormal.Quantile(0.975)) - 1), Fastest: []string{"tie", "best"}, Others: []Multiple{{"slow", 4, 4, 4}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if len(got) > 0 && math.IsInf(got[0].Spread, 0) {
		t.Error("a single trial has a spread")
	}
}
