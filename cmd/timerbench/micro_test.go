package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rowsOf returns the cells of a table by the first one of each row.
func rowsOf(text string) map[string][]string {
	rows := make(map[string][]string)
	for line := range strings.Lines(text) {
		if cells := strings.Fields(line); len(cells) > 1 {
			rows[cells[0]] = cells[1:]
		}
	}
	return rows
}

func TestMicroPrintsTablesForEachSize(t *testing.T) {
	chart := filepath.Join(t.TempDir(), "chart.svg")
	code, stdout, stderr := run("micro", "--n", "300,400", "--trials", "1", "--structure", "^(hwheel|quadheap)$",
		"--workload", "-stop|churn|^reschedule|^hold$|fill|cancel-hold|-period-256", "--chart", chart)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	parts := regexp.MustCompile(`(?m)^\d+ timers`).Split(stdout, -1)
	if len(parts) != 3 {
		t.Fatalf("tables of %d sizes, want 2:\n%s", len(parts)-1, stdout)
	}
	figure := regexp.MustCompile(`^\d+(\.\d)?$`)
	for _, part := range parts[1:] {
		costs, calls, _ := strings.Cut(part, "LONGEST CALL")
		if !slices.Equal(rowsOf(costs)["STRUCTURE"], strings.Fields("START-STOP CHURN RESCHEDULE HOLD FILL-DRAIN BYTES A TIMER GC, MS")) {
			t.Errorf("the columns are not those of the workloads:\n%s", costs)
		}
		check := func(table, name, measured string) {
			shape := ""
			for _, cell := range rowsOf(table)[name] {
				if figure.MatchString(cell) {
					cell = "x"
				}
				shape += cell
			}
			if shape != measured {
				t.Errorf("the row of %s has figures at %q, want %q", name, shape, measured)
			}
		}
		for name, measured := range map[string]string{
			"null": "xxx––––", "stub": "xxx––xx", "time.AfterFunc": "xxx––xx", "hwheel": "xxxxxxx", "quadheap": "xxxxxxx",
		} {
			check(costs, name, measured)
		}
		operations := regexp.MustCompile(` (schedule|cancel|reschedule|pop)\b`)
		calls = operations.ReplaceAllString(calls, "")
		for name, measured := range map[string]string{"null": "", "hwheel": "xxx", "quadheap": "xxx"} {
			check(calls, name, measured)
		}
	}
	svg, err := os.ReadFile(chart)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"churn, per lifecycle", "avalanche-period-256, longest call", "memory, per timer", ">hwheel<", ">300<", ">400<"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the chart does not show %q", want)
		}
	}
}

// What does not fit into memory side by side is measured one after the other, and what does
// not fit at all is refused before anything is measured.
func TestMicroKeepsToTheMemory(t *testing.T) {
	args := []string{"micro", "--trials", "1", "--structure", "^(hwheel|quadheap|minheap|rbtree)$", "--workload", "^start-stop$"}
	code, stdout, stderr := run(append(args, "--n", "200000", "--memory", "0.08")...)
	if code != 0 || !strings.Contains(stdout, "One structure after the other.") || len(rowsOf(stdout)["rbtree"]) != 3 {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = run(append(args, "--n", "1000,1e8", "--memory", "1")...)
	if code != 1 || stdout != "" || !strings.Contains(stderr, "start-stop, n 100000000 needs about ") || !strings.Contains(stderr, " GB of memory, of which there are 1.0 GB: ") {
		t.Errorf("exit %d: %q, %q", code, stdout, stderr)
	}
}

func TestMicroMeasuresWhatIsChosen(t *testing.T) {
	code, stdout, stderr := run("micro", "--n", "300", "--trials", "1", "--structure", "^hwheel$", "--workload", "^hold$")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	rows := rowsOf(stdout)
	if len(rows["hwheel"]) != 3 || rows["null"] != nil || strings.Contains(stdout, "LONGEST") {
		t.Errorf("want hold on hwheel only:\n%s", stdout)
	}
}

func TestMicroRefusesWrongFlags(t *testing.T) {
	for want, args := range map[string][]string{
		"--trials 0: want at least 1":                           {"--trials", "0"},
		"no structure of the choice is made for 1000000 timers": {"--structure", "^list$"},
		`no workload matches "chrun" (did you mean "churn"?)`:   {"--workload", "chrun"},
		`no structure matches "hweel" (did you mean "hwheel"?)`: {"--structure", "hweel"},
		"--memory -1: want a number of GB above 0":              {"--memory", "-1"},
		"--chart: want at least two sizes in --n":               {"--chart", "x.svg"},
		"--chart no/x.svg: stat no: no such file":               {"--chart", "no/x.svg", "--n", "10,20"},
		`"0": want whole numbers from 1 to 1e8`:                 {"--n", "0"},
		`unknown command "hold" for "timerbench micro"`:         {"hold"},
	} {
		if code, _, stderr := run(append([]string{"micro"}, args...)...); code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d, %q, want %q", args, code, stderr, want)
		}
	}
}
