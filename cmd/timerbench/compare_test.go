package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/fail"
)

// eightRounds returns results of four structures on a workload. The times of hwheel are multiplied
// by factor.
func eightRounds(workload string, factor float64) *results.Run {
	cell := results.Cell{Workload: workload, N: 1000, Unit: script.PerLifecycle}
	for i, structure := range []string{"null", "quadheap", "hwheel", "rbtree", "list"} {
		row := results.Row{Structure: structure, Role: results.RoleStructure}
		if i == 0 {
			row.Role = results.RoleFloor
		}
		for round := range 8 {
			ns := 1e6 * (1 + 0.003*float64((round*7+i*3+int(10*factor))%5))
			if structure == "hwheel" {
				ns *= factor
			}
			row.Cost = append(row.Cost, results.Trial{Instance: round / 2, Round: round, NS: ns, Units: 1e4})
		}
		cell.Rows = append(cell.Rows, row)
	}
	return &results.Run{Complete: true, Cells: []results.Cell{cell}}
}

func TestCompare(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "old", eightRounds("churn", 1))
	put(t, "new", eightRounds("churn", 1.3))
	other := eightRounds("churn", 1.3)
	other.Environment.CPU = "other"
	put(t, "other", other)
	for line, c := range map[string]struct {
		code int
		want []string
	}{
		"old new":                                       {0, []string{"1.310", "slower", "The new build: 1 of 4 are slower (hwheel on churn, n 1000, 1.31x per lifecycle), none is faster."}},
		"old new --fail-on-regression":                  {1, []string{"slower", "the new build is slower"}},
		"new old --fail-on-regression":                  {0, []string{"faster", "none is slower, 1 of 4 are faster"}},
		"old old --fail-on-regression":                  {0, []string{"No difference: none of 4 ratios", "4 rows without a difference: --all prints them too"}},
		"old new --csv":                                 {0, []string{"workload,n,structure,old_ns,new,ratio,lo,hi,verdict,floor,groups\n", "churn,1000,hwheel,100.", "slower,", "churn,1000,rbtree,100."}},
		"old new --all":                                 {0, []string{"rbtree", "FLOOR"}},
		"old new --fail-on-regression --min-effect 40%": {0, []string{"No difference"}},
		"old other --fail-on-regression":                {2, []string{"old and other: different machines: OLD on", "NEW on other", "or --machines"}},
		"old other --machines":                          {0, []string{"1 of 4 are slower"}},
	} {
		code, stdout, stderr := run(append([]string{"compare"}, strings.Fields(line)...)...)
		if code != c.code {
			t.Errorf("%s: exit %d, want %d: %s", line, code, c.code, stderr)
		}
		fail.Unless(t, stdout+stderr, c.want...)
	}
	for _, command := range []string{"compare", "ab"} { // the help says exactly what the flag changes
		stdout, _ := must(t, command, "--help")
		fail.Unless(t, stdout, "Exit codes: 0", "--fail-on-regression changes one")
	}
}

func TestABOfTheSameProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the command 14 times")
	}
	t.Setenv(asCommand, "1")
	out := filepath.Join(t.TempDir(), "ab")
	session := []string{"ab", "--old", os.Args[0], "--new", os.Args[0], "--pairs", "6", "-o"}
	stdout, _ := must(t, append(session, out, "-s", "^(quadheap|hwheel)$", "-w", "^hold$", "-n", "50", "--rounds", "1", "--min-effect", "100%", "--all")...)
	if fail.Unless(t, stdout, "No difference", "hwheel"); !strings.HasPrefix(stdout, "No difference") {
		t.Errorf("the verdict is not first:\n%s", stdout)
	}
	old, new := filepath.Join(out, "old"), filepath.Join(out, "new")
	for _, side := range []string{old, new} {
		r := resultsOf(t, side)
		if r.Parameters.Session == "" || len(r.Cells) != 1 || len(r.Cells[0].Rows[1].Cost) != 24 { // of six runs
			t.Errorf("%s: %+v", side, r.Parameters)
		}
		fail.Unless(t, fail.Read(t, filepath.Join(side, store.Benchmarks)), "structure=hwheel")
	}
	again, _ := must(t, "compare", old, new, "--min-effect", "100%", "--all")
	fail.UnlessSame(t, "compare of the kept results", again, stdout)
	must(t, "verify", "--replay", old)
	none := filepath.Join(out, "none")
	refused(t, append(session, none, "-s", "hweel"), `did you mean "hwheel"?`)
	if _, err := os.Stat(none); err == nil {
		t.Error("a session that failed left its folder")
	}
}
