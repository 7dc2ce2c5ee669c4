package report

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

func TestThePageSaysHowToMakeItAgain(t *testing.T) {
	t.Parallel()
	r := tiny().results()
	r.Command = "timerbench run --profile=normal --structure='heap|^hwheel$'"
	r.Environment.Machine = []results.Finding{
		{Check: "load", Value: "3.1", Verdict: "warn", Advice: "end other programs"},
		{Check: "page size", Value: "4096", Verdict: "ok"},
	}
	r.Cells[0].LeftOut, r.Cells[0].Apart = []string{"list"}, true
	page := func() string { return pageOf(t, r) }
	got := page()
	for _, want := range []string{
		"```sh\ngit checkout 0123456789ab\nmake build\nbin/timerbench run --profile=normal --structure='heap|^hwheel$'\nbin/timerbench report\n```",
		"Of 2 checks, 1 warn: load (3.1).", "| load | 3.1 | warn | end other programs |", "| page size | 4096 | ok | – |",
		"**One machine, Some CPU @ 3.0GHz.**", "The program was linked once", "were left out of 1 cell.",
		"**Not interleaved.** The memory did not hold all structures of these cells together, so the run measured one structure after the other: hold, N = ",
		"A/A comparisons",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	r.Environment.Revision += "+dirty"
	r.Environment.Machine[0].Verdict = "ok"
	r.Parameters.Layouts = 5
	got = page()
	for _, want := range []string{"git checkout 0123456789ab\n", "The run contained uncommitted changes.", "passed all 2 checks", "repeated in 5 layouts"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	r.Command, r.Environment.Machine = "", nil
	if got = page(); strings.Contains(got, "git checkout") || !strings.Contains(got, "**The machine** was not examined.") {
		t.Error("results that name no command are made again, or a machine is said to be examined")
	}
}
