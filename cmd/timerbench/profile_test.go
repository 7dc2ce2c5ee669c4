package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/timerbench/timerbench/bench"
)

func TestProfile(t *testing.T) {
	out := filepath.Join(t.TempDir(), "cpu.pprof")
	stdout, _ := must(t, "profile", "churn/n=1e3", "-s", "hwheel", "--for", "300ms", "-o", out)
	says(t, stdout, "WITH CALLEES", "ns per lifecycle")
	if !strings.Contains(stdout, "cycles") {
		says(t, stdout, "Hardware counters: unavailable: ")
	}
	p, err := profile.ParseData([]byte(readText(t, out)))
	if err != nil || len(p.Sample) == 0 {
		t.Fatalf("%v: no profile", err)
	}
	// What is not a replay, such as writing the script, is not in it.
	for _, s := range p.Sample {
		if !s.HasLabel(phase, phaseReplay) {
			t.Errorf("a sample outside the replays")
		}
	}
}

func TestFunctionTimes(t *testing.T) {
	at := func(names ...string) *profile.Location { // inlined ones first
		l := &profile.Location{}
		for _, name := range names {
			l.Line = append(l.Line, profile.Line{Function: &profile.Function{Name: name}})
		}
		return l
	}
	list, total := functionTimes(&profile.Profile{Sample: []*profile.Sample{
		{Location: []*profile.Location{at("a"), at("b")}, Value: []int64{1, 30}},
		{Location: []*profile.Location{at("a"), at("a"), at("b")}, Value: []int64{1, 20}}, // recursion
		{Location: []*profile.Location{at("in", "b")}, Value: []int64{2, 10}},
	}})
	if want := []functionTime{{"a", 50, 50}, {"in", 10, 10}, {"b", 0, 60}}; total != 60 || !slices.Equal(list, want) {
		t.Errorf("%v of %d, want %v", list, total, want)
	}
	if got := shortName("github.com/timerbench/timerbench/x.(*T[go.shape.struct { a[int] }]).F"); got != "x.(*T).F" {
		t.Errorf("%q", got)
	}
	if got := hardwareLine(bench.Replayed{Unit: "tick", Counters: map[string]float64{"cycles": 123.4, "instructions": 5}}); got != "Per tick: 123 cycles, 5 instructions." {
		t.Errorf("%q", got)
	}
}
