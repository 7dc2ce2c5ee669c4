package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench"
)

func TestNumbersOfTimers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{
		"200000": {200_000}, "200k": {200_000}, "200K": {200_000}, "0.2M": {200_000}, "2e5": {200_000}, "200,000": {200_000},
		"1m": {1_000_000}, "1M": {1_000_000}, "1,000,000": {1_000_000}, "12,345,000": {12_345_000}, "1e8": {100_000_000},
		"50,200": {50, 200}, "1000,1e6": {1000, 1_000_000}, "10,100,1000": {10, 100, 1000}, "1k,1M": {1000, 1_000_000}, " 7 , 8 ": {7, 8},
	} {
		var got sizes
		if err := got.Set(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.5", "1e30", "1.1e8", "k", "200 k m", "1e3,", "NaN", "Inf", "1000,000", "1G"} {
		var got sizes
		if err := got.Set(text); err == nil || !strings.Contains(err.Error(), "want a whole number from 1 to 1e8") {
			t.Errorf("%q: %v, %v, want an error", text, got, err)
		}
	}
}

// Each command that asks for a number of timers reads 200k, and refuses 1e30 with the range.
func TestEveryCommandReadsNumbersAlike(t *testing.T) {
	t.Chdir(t.TempDir())
	asks := 0
	for _, command := range leaves(newRoot()) {
		cmd, _, err := newRoot().Find(strings.Fields(command))
		if err != nil {
			t.Fatal(err)
		}
		if flag := cmd.Flags().Lookup("n"); flag == nil {
			continue
		}
		asks++
		args := strings.Fields(command)
		switch command {
		case "trace make":
			args = append(args, "-w", "hold", "-o", "my.trace", "--ops", "1")
		case "recommend":
		case "run":
			args = append(args, "--dry-run")
		default: // would measure for long; the type of the flag is that of run
			if got := cmd.Flags().Lookup("n").Value.Type(); got != "numbers" {
				t.Errorf("%s: --n is of type %s", command, got)
			}
			continue
		}
		for n, want := range map[string]int{"200k": 0, "200,000": 0, "0.2M": 0, "1e30": exitError} {
			code, _, stderr := run(append(slices.Clone(args), "--n", n)...)
			if code != want || want != 0 && !strings.Contains(stderr, "want a whole number from 1 to 1e8") {
				t.Errorf("%s --n %s: exit %d: %s", command, n, code, stderr)
			}
		}
	}
	if asks < 6 {
		t.Errorf("%d commands ask for a number of timers", asks)
	}
	if c, err := parseCase("churn/n=200,000"); err != nil || c.n != 200_000 {
		t.Errorf("%+v, %v", c, err)
	}
}

// Racing, which comes after the last step, is shown as part of it.
func TestProgressCountsNoStepThatIsNotThere(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	newProgress(&out).show(bench.Progress{Step: 1, Steps: 1, Name: "racing", Done: 1, Total: 1})
	if !strings.HasPrefix(out.String(), "[1/1] racing") {
		t.Error(out.String())
	}
}

// make passes a $ on.
func TestMakePassesArgumentsOn(t *testing.T) {
	t.Parallel()
	make, err := exec.LookPath("make")
	if err != nil {
		t.Skip(err)
	}
	for _, target := range []string{"bench", "bench-smoke", "bench-full", "bench-micro", "bench-scale"} {
		out, err := exec.Command(make, "-C", "../..", "-n", target, "ARGS=-s '^auto$'").CombinedOutput()
		if err != nil || !strings.Contains(string(out), "-s '^auto$'") {
			t.Errorf("make %s: %v: %s", target, err, out)
		}
	}
}
