package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/timerbench/timerbench/bench"
)

func TestProfile(t *testing.T) {
	out := filepath.Join(t.TempDir(), "cpu.pprof")
	code, stdout, stderr := run("profile", "churn/n=1e3", "-s", "hwheel", "--for", "300ms", "-o", out)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, want := range []string{"WITH CALLEES", "bench.(*replayer).do", "ns per lifecycle", "ardware counters: unavailable: "} {
		if !strings.Contains(stdout, want) && (want[0] != 'a' || !strings.Contains(stdout, "cycles")) {
			t.Errorf("it does not say %q:\n%s", want, stdout)
		}
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(data)
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
	t.Parallel()
	function := func(name string) *profile.Location {
		return &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name}}}}
	}
	a, b := function("a"), function("b")
	inlined := &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: "in"}}, {Function: &profile.Function{Name: "b"}}}}
	p := &profile.Profile{Sample: []*profile.Sample{
		{Location: []*profile.Location{a, b}, Value: []int64{1, 30}},
		{Location: []*profile.Location{a, a, b}, Value: []int64{1, 20}}, // recursion
		{Location: []*profile.Location{inlined}, Value: []int64{2, 10}},
	}}
	list, total := functionTimes(p)
	want := []functionTime{{"a", 50, 50}, {"in", 10, 10}, {"b", 0, 60}}
	if total != 60 || len(list) != 3 || list[0] != want[0] || list[1] != want[1] || list[2] != want[2] {
		t.Errorf("%v of %d, want %v", list, total, want)
	}
	if got := shortName("github.com/timerbench/timerbench/x.(*T[go.shape.struct { a[int] }]).F"); got != "x.(*T).F" {
		t.Errorf("%q", got)
	}
	if got := hardwareLine(bench.Replayed{Unit: "tick", Counters: map[string]float64{"cycles": 123.4, "instructions": 5}}); got != "Per tick: 123 cycles, 5 instructions." {
		t.Errorf("%q", got)
	}
}

func TestProfileRefusesBadCases(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no case":           {nil, "0 arguments, want a workload and a size"},
		"unknown workload":  {[]string{"chrun/n=10", "-s", "hwheel"}, `did you mean "churn"?`},
		"part of a name":    {[]string{"chur/n=10", "-s", "hwheel"}, `no workload matches "chur"`},
		"no size":           {[]string{"churn", "-s", "hwheel"}, "want a workload and a size"},
		"size of 0":         {[]string{"churn/n=0", "-s", "hwheel"}, `n is "0"`},
		"two sizes":         {[]string{"churn/n=1,2", "-s", "hwheel"}, `n is "1,2"`},
		"another key":       {[]string{"churn/size=10", "-s", "hwheel"}, "want a workload and a size"},
		"no structure":      {[]string{"churn/n=10"}, "--structure is missing"},
		"unknown structure": {[]string{"churn/n=10", "-s", "hweel"}, `did you mean "hwheel"?`},
		"too many":          {[]string{"churn/n=1e6", "-s", "list"}, "made for at most"},
		"no time":           {[]string{"churn/n=10", "-s", "hwheel", "--for", "0s"}, "--for 0s"},
		"unwritable":        {[]string{"churn/n=10", "-s", "hwheel", "--for", "1ms", "-o", filepath.Join(dir, "none", "x")}, "--out "},
	} {
		code, _, stderr := run(append([]string{"profile"}, c.args...)...)
		if code != exitError || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d: %s, want %q", name, code, stderr, c.want)
		}
	}
}
