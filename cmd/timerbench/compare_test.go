package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// twoRuns writes the results of two runs of four structures on one workload. In the
// second one a structure takes 30 % longer.
func twoRuns(t *testing.T) (old, new string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, factor float64) string {
		r := &results.Run{Format: results.Format, Version: results.Version, Complete: true}
		cell := results.Cell{Workload: "churn", N: 1000, Unit: script.PerLifecycle}
		for i, structure := range []string{"null", "quadheap", "hwheel", "rbtree", "list"} {
			row := results.Row{Structure: structure, Role: results.RoleStructure}
			if i == 0 {
				row.Role = results.RoleFloor
			}
			for round := range 8 {
				ns := 1e6 * (1 + 0.003*float64((round*7+i*3+len(name))%5))
				if structure == "hwheel" {
					ns *= factor
				}
				row.Cost = append(row.Cost, results.Trial{Instance: round / 2, Round: round, NS: ns, Units: 1e4})
			}
			cell.Rows = append(cell.Rows, row)
		}
		r.Cells = []results.Cell{cell}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := save(path, r); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("a", 1), write("bbb", 1.3)
}

func TestCompare(t *testing.T) {
	old, new := twoRuns(t)
	for name, c := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"a loss":                 {[]string{old, new}, 0, []string{"1.30", "slower", "The new build: 1 of 4 are slower (hwheel on churn, n 1000, 1.30x per lifecycle), none is faster."}},
		"a loss that fails":      {[]string{old, new, "--fail-on-regression"}, 1, []string{"slower", "the new build is slower"}},
		"files":                  {[]string{filepath.Join(old, resultsFile), filepath.Join(new, resultsFile), "--fail-on-regression"}, 1, []string{"slower"}},
		"a gain never fails":     {[]string{new, old, "--fail-on-regression"}, 0, []string{"faster", "none is slower, 1 of 4 are faster"}},
		"the same":               {[]string{old, old, "--fail-on-regression"}, 0, []string{"No difference: of 4 ratios"}},
		"a larger effect wanted": {[]string{old, new, "--fail-on-regression", "--min-effect", "40%"}, 0, []string{"No difference"}},
		"as a number":            {[]string{old, new, "--fail-on-regression", "--min-effect", "0.4"}, 0, []string{"No difference"}},
	} {
		code, stdout, stderr := run(append([]string{"compare"}, c.args...)...)
		if code != c.code {
			t.Errorf("%s: exit %d, want %d: %s", name, code, c.code, stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(stdout+stderr, want) {
				t.Errorf("%s: does not say %q:\n%s%s", name, want, stdout, stderr)
			}
		}
	}
}

// Everything but a regression ends with code 2, so that a script can tell them apart.
func TestMisuseOfComparisonsEndsWith2(t *testing.T) {
	old, new := twoRuns(t)
	other, _ := twoRuns(t)
	path := filepath.Join(other, resultsFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := results.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Cells {
		r.Cells[i].Workload = strings.ReplaceAll(r.Cells[i].Workload, "churn", "hold")
	}
	if err := results.Write(path, r); err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged.json")
	if err := os.WriteFile(damaged, text[:len(text)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"one argument":        {[]string{"compare", old}, []string{"compare: 1 arguments, want two"}},
		"three arguments":     {[]string{"compare", old, new, new}, []string{"3 arguments"}},
		"unknown flag":        {[]string{"compare", old, new, "--min-efect", "5%"}, []string{"--min-efect"}},
		"effect is a word":    {[]string{"compare", old, new, "--min-effect", "some"}, []string{"--min-effect", `"some"`, "5%"}},
		"effect is negative":  {[]string{"compare", old, new, "--min-effect=-5%"}, []string{"--min-effect", `"-5%"`}},
		"alpha of 0":          {[]string{"compare", old, new, "--alpha", "0"}, []string{"--alpha 0", "above 0 and below 1"}},
		"alpha of 5":          {[]string{"compare", old, new, "--alpha", "5"}, []string{"--alpha 5", "above 0 and below 1"}},
		"no such file":        {[]string{"compare", old, filepath.Join(empty, "none")}, []string{"NEW: ", "none: no such file or folder"}},
		"empty folder":        {[]string{"compare", empty, new}, []string{"OLD: ", "no results.json in it"}},
		"damaged file":        {[]string{"compare", damaged, new}, []string{"OLD: ", "damaged.json", "cut short"}},
		"nothing in common":   {[]string{"compare", old, other, "--fail-on-regression"}, []string{"nothing in common", "churn, n 1000", "hold, n 1000"}},
		"ab without --old":    {[]string{"ab"}, []string{"--old is missing"}},
		"ab with argument":    {[]string{"ab", "main"}, []string{"main"}},
		"ab, no rounds":       {[]string{"ab", "--old", "HEAD", "--rounds", "0"}, []string{"--rounds 0"}},
		"ab, one pair":        {[]string{"ab", "--old", "HEAD", "--pairs", "1"}, []string{"--pairs 1", "no interval"}},
		"ab, no layout":       {[]string{"ab", "--old", "HEAD", "--layouts", "0"}, []string{"--layouts 0"}},
		"ab, many layouts":    {[]string{"ab", "--old", "HEAD", "--layouts", "9"}, []string{"--layouts 9", "8 pairs"}},
		"ab, bad alpha":       {[]string{"ab", "--old", "HEAD", "--alpha", "2"}, []string{"--alpha 2"}},
		"ab, unknown flag":    {[]string{"ab", "--older", "HEAD"}, []string{"--older"}},
		"ab, no such program": {[]string{"ab", "--old", "no/such/revision", "--new", "HEAD"}, []string{`--old: "no/such/revision" is no revision`, "no program"}},
		"ab, no timerbench":   {[]string{"ab", "--old", damaged, "--new", damaged, "-o", filepath.Join(empty, "x")}, []string{"the old build", "damaged.json"}},
		"ab, folder in use":   {[]string{"ab", "--old", damaged, "--new", damaged, "-o", old}, []string{"--out " + old, "not replaced"}},
	} {
		code, _, stderr := run(c.args...)
		if code != exitMisuse {
			t.Errorf("%s: exit %d, want %d: %s", name, code, exitMisuse, stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: %q does not say %q", name, stderr, want)
			}
		}
	}
	if entries, _ := os.ReadDir(empty); len(entries) > 0 {
		t.Errorf("%v are left", entries)
	}
}

// The help says exactly what --fail-on-regression changes.
func TestTheHelpNamesTheExitCodes(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"compare", "ab"} {
		code, stdout, _ := run(command, "--help")
		for _, want := range []string{"Exit codes: 0", "--fail-on-regression changes one", "Examples:"} {
			if code != 0 || !strings.Contains(stdout, want) {
				t.Errorf("%s --help: exit %d, does not say %q", command, code, want)
			}
		}
	}
}
