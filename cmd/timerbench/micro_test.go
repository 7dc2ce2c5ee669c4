package main

import (
	"regexp"
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

func TestMicroPrintsATableForEachSize(t *testing.T) {
	code, stdout, stderr := run("micro", "--n", "300,400", "--trials", "1", "--structure", "^(hwheel|quadheap)$")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	tables := regexp.MustCompile(`(?m)^\d+ timers`).Split(stdout, -1)
	if len(tables) != 3 {
		t.Fatalf("%d tables, want 2:\n%s", len(tables)-1, stdout)
	}
	figure := regexp.MustCompile(`^\d+(\.\d)?$`)
	for _, text := range tables[1:] {
		rows := rowsOf(text)
		for name, measured := range map[string]string{
			"null": "xxx––––", "stub": "xxx––––", "time.AfterFunc": "xxx––––", "hwheel": "xxxxxxx", "quadheap": "xxxxxxx",
		} {
			shape := ""
			for _, cell := range rows[name] {
				if figure.MatchString(cell) {
					cell = "x"
				}
				shape += cell
			}
			if shape != measured {
				t.Errorf("the row of %s has figures at %q, want %q", name, shape, measured)
			}
		}
	}
}

func TestMicroMeasuresWhatIsChosen(t *testing.T) {
	code, stdout, stderr := run("micro", "--n", "300", "--trials", "1", "--structure", "^hwheel$", "--workload", "^hold$")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	rows := rowsOf(stdout)
	if len(rows["hwheel"]) != 1 || rows["null"] != nil {
		t.Errorf("want hold on hwheel only:\n%s", stdout)
	}
}

func TestMicroRefusesWrongFlags(t *testing.T) {
	for want, args := range map[string][]string{
		"--trials 0: want at least 1":                           {"--trials", "0"},
		"no structure of the choice is made for 1000000 timers": {"--structure", "^list$"},
		`no workload matches "chrun" (did you mean "churn"?)`:   {"--workload", "chrun"},
		`no structure matches "hweel" (did you mean "hwheel"?)`: {"--structure", "hweel"},
		`"0": want whole numbers from 1 to 1e8`:                 {"--n", "0"},
		`unknown command "hold" for "timerbench micro"`:         {"hold"},
	} {
		if code, _, stderr := run(append([]string{"micro"}, args...)...); code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d, %q, want %q", args, code, stderr, want)
		}
	}
}
