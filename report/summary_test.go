package report

import (
	"math"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

func trials(ns ...float64) []results.Trial {
	var out []results.Trial
	for i, v := range ns {
		out = append(out, results.Trial{Round: i, NS: v * 10, Units: 10})
	}
	return out
}

func TestCost(t *testing.T) {
	t.Parallel()
	s := cost(results.Row{Cost: append(trials(5, 1, 3, 2, 4, 9), results.Trial{NS: 7}, results.Trial{Units: 7})})
	if s.trials != 6 || s.median != 3.5 || s.lo != 1 || s.hi != 9 || s.mean != 4 {
		t.Errorf("%+v", s)
	}
	if s := cost(results.Row{Cost: trials(1, 2, 3, 4, 5)}); s.bounded() || s.median != 3 {
		t.Errorf("five trials have no 95 %% interval: %+v", s)
	}
	if s := cost(results.Row{}); s.ok() || s.bounded() {
		t.Errorf("no trials: %+v", s)
	}
}

func TestRank(t *testing.T) {
	t.Parallel()
	row := func(name string, role results.Role, ns ...float64) results.Row {
		return results.Row{Structure: name, Role: role, Cost: trials(ns...)}
	}
	c := results.Cell{Rows: []results.Row{
		row("slow", results.RoleStructure, 7, 7, 7, 7, 7, 8),
		row("tie", results.RoleStructure, 2, 3, 4, 5, 6, 6.5),
		row("best", results.RoleStructure, 1, 2, 3, 3, 3, 4),
		row("null", results.RoleFloor, 1, 1, 1, 1, 1, 1),
		row("none", results.RoleStructure),
	}}
	r := rank(c)
	if !slices.Equal(r.names, []string{"best", "tie", "slow"}) || r.ties != 2 {
		t.Errorf("%+v", r)
	}
	c.Rows[2].Cost = c.Rows[2].Cost[:3]
	if r := rank(c); r.ties != 1 {
		t.Errorf("without an interval there is no tie: %+v", r)
	}
}

func TestPaired(t *testing.T) {
	t.Parallel()
	of := results.Row{Cost: trials(1, 2, 4, 8, 16, 32)}
	a := results.Row{Cost: trials(2, 4, 8, 16, 32, 64)}
	slices.Reverse(a.Cost) // rounds, not positions, are paired
	if s := paired(a, of); s.median != 2 || s.lo != 2 || s.hi != 2 || s.trials != 6 {
		t.Errorf("%+v", s)
	}
	if s := paired(a, results.Row{}); s.ok() {
		t.Errorf("nothing to pair with: %+v", s)
	}
}

func TestAllocations(t *testing.T) {
	t.Parallel()
	objects, size, ok := allocations(results.Row{Cost: []results.Trial{{Units: 10, Allocs: 5, AllocBytes: 50}, {Units: 10, Allocs: 15, AllocBytes: 250}}})
	if !ok || objects != 1 || size != 15 {
		t.Error(objects, size, ok)
	}
	if _, _, ok := allocations(results.Row{}); ok {
		t.Error("no lifecycles")
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ got, want string }{
		{digits3(0), "0"}, {digits3(1.2345), "1.23"}, {digits3(12.345), "12.3"}, {digits3(123.45), "123"},
		{digits3(1234.5), "1230"}, {digits3(123456), "123\u202f000"}, {digits3(-4), "-4.00"}, {digits3(0.01234), "0.0123"},
		{digits3(0.00001234), "1.23e-05"}, {digits3(math.Inf(1)), "–"}, {digits3(math.NaN()), "–"}, {digits3(99.96), "100.0"},
		{count(1234), "1234"}, {count(12345), "12\u202f345"}, {count(-1234567), "-1\u202f234\u202f567"},
		{short(0), "0"}, {short(999), "999"}, {short(1000), "1k"}, {short(12345), "12.3k"}, {short(1e6), "1M"}, {short(999999), "1M"}, {short(2.5e9), "2.5G"},
		{duration(5), "5 ns"}, {duration(38.44), "38.4 ns"}, {duration(1500), "1.5 µs"}, {duration(2e6), "2 ms"}, {duration(3e9), "3 s"},
		{ratio(1), "1.00"}, {ratio(1.234), "1.23"}, {ratio(2.34), "2.3"}, {ratio(23.4), "23"}, {ratio(1234), "1.23k"}, {ratio(math.NaN()), "–"},
		{percent(0), "0 %"}, {percent(1), "100 %"}, {percent(0.474), "47.4 %"},
		{andList(nil), ""}, {andList([]string{"a"}), "a"}, {andList([]string{"a", "b", "c"}), "a, b and c"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
