package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// run executes the command line and returns its exit code and what it printed.
func run(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = execute(args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestRunThenReport(t *testing.T) {
	out := filepath.Join(t.TempDir(), "deep", "out")
	code, _, stderr := run("run", "--profile", "smoke", "--structure", "^hwheel$", "--workload", "^hold$|kafka", "--n", "50,1e2", "--trials", "2", "--seed", "9", "--out", out)
	if code != 0 {
		t.Fatalf("run: exit %d: %s", code, stderr)
	}
	for _, part := range []string{"draw them with: " + os.Args[0] + " report " + out, "[1/4] hold, n 50", "[4/4] kafka-purgatory, n 100", "fewer than 6"} {
		if !strings.Contains(stderr, part) {
			t.Errorf("run does not say %q: %s", part, stderr)
		}
	}
	r, err := results.Read(filepath.Join(out, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	if !r.Complete || len(r.Cells) != 4 || r.Parameters.Seed != 9 || r.Parameters.Trials != 2 || len(r.Idle) != 0 {
		t.Errorf("complete %v, %d cells, %d idle counts, parameters %+v", r.Complete, len(r.Cells), len(r.Idle), r.Parameters)
	}
	if lines, err := os.ReadFile(filepath.Join(out, benchfmtFile)); err != nil || !bytes.Contains(lines, []byte("BenchmarkTimers/workload=hold/n=50/structure=hwheel")) {
		t.Errorf("no benchmark lines: %v", err)
	}

	if code, _, stderr = run("report", "--out", out); code != 0 {
		t.Fatalf("report: exit %d: %s", code, stderr)
	}
	charts := filepath.Join(t.TempDir(), "charts")
	if code, _, stderr = run("report", filepath.Join(out, resultsFile), "--out", charts); code != 0 {
		t.Fatalf("report of a named file: exit %d: %s", code, stderr)
	}
	for _, dir := range []string{out, charts} {
		for _, file := range []string{"report.md", "report.html", "scale.png", "scale.svg"} {
			if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Size() == 0 {
				t.Errorf("report wrote no %s: %v", file, err)
			}
		}
	}
}

func TestBadInputIsRefusedWithAReason(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("not results"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"unknown structure": {[]string{"run", "-s", "hweel"}, []string{`no structure matches "hweel"`, `did you mean "hwheel"?`, "there are: list, "}},
		"unknown workload":  {[]string{"run", "-w", "kafka-purgatry"}, []string{`did you mean "kafka-purgatory"?`, "fill-drain"}},
		"far from any name": {[]string{"run", "-w", "zzz"}, []string{`no workload matches "zzz"; there are: hold`}},
		"bad expression":    {[]string{"run", "-s", "(wheel"}, []string{"--structure", "(wheel", "regular expression"}},
		"unknown profile":   {[]string{"run", "-p", "norml"}, []string{`no profile matches "norml"`, `did you mean "normal"?`}},
		"n of zero":         {[]string{"run", "--n", "0"}, []string{"--n", `"0"`, "from 1"}},
		"n not whole":       {[]string{"run", "--n", "1.5"}, []string{`"1.5"`}},
		"n not a number":    {[]string{"run", "--n", "100,many"}, []string{`"many"`}},
		"negative trials":   {[]string{"run", "--trials", "-1"}, []string{"--trials -1"}},
		"unwritable out":    {[]string{"run", "--out", filepath.Join(file, "out")}, []string{"--out", file}},
		"nothing to run":    {[]string{"run", "-s", "^list$", "-w", "^hold$", "--n", "1e6", "-o", dir}, []string{"nothing to run", "structure"}},
		"unknown below":     {[]string{"trace", "reply"}, []string{`no command of trace matches "reply" (did you mean "replay"?)`}},
		"list, misspelt":    {[]string{"list", "wrokloads"}, []string{`no list matches "wrokloads" (did you mean "workloads"?)`}},
		"two lists":         {[]string{"list", "models", "workloads"}, []string{`"workloads"`, "one list"}},
		"nothing to replay": {[]string{"trace", "replay"}, []string{"want traces"}},
		"nothing to print":  {[]string{"scenario", "print"}, []string{"the name of a workload"}},
		"part of a name":    {[]string{"scenario", "print", "kafka"}, []string{`did you mean "kafka-purgatory"?`}},
		"out is a folder":   {[]string{"trace", "record", "-o", dir, "--", "true"}, []string{"--out", dir, "is a folder"}},
		"negative noise":    {[]string{"doctor", "--noise", "-1s"}, []string{"--noise -1s", "at least 0"}},
		"unknown flag":      {[]string{"run", "--trails", "3"}, []string{"--trails"}},
		"unknown command":   {[]string{"rnu"}, []string{`"rnu"`, "run"}},
		"stray argument":    {[]string{"run", "hold"}, []string{"hold"}},
		"unknown list":      {[]string{"list", "charts"}, []string{"charts"}},
		"missing scenario":  {[]string{"run", "--scenario", filepath.Join(dir, "none.toml")}, []string{"none.toml", "no such file"}},
		"foreign scenario":  {[]string{"run", "--scenario", file}, []string{file + ":1: "}},
		"no such built-in":  {[]string{"scenario", "print", "kafka-purgatry"}, []string{`did you mean "kafka-purgatory"?`}},
		"nothing to check":  {[]string{"scenario", "check"}, []string{"scenario check: no argument, want scenario files"}},
		"missing results":   {[]string{"report", "--out", dir}, []string{dir, "no results.json"}},
		"foreign results":   {[]string{"report", file, "--out", dir}, []string{file, "not JSON"}},
	} {
		code, _, stderr := run(c.args...)
		if code != exitError {
			t.Errorf("%s: exit %d, want %d", name, code, exitError)
		}
		for _, want := range c.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: %q does not say %q", name, stderr, want)
			}
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the refused calls left %v behind", entries)
	}
}

func TestHintsCanBeCopied(t *testing.T) {
	t.Parallel()
	if got, want := asTyped("report", "my runs/it's", "a+b=c"), os.Args[0]+` report 'my runs/it'\''s' a+b=c`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// plain is a text without the spaces in front of lines, which tables have.
func plain(s string) string { return strings.ReplaceAll(s, "\n ", "\n") }

func TestListNamesEverything(t *testing.T) {
	t.Parallel()
	code, short, _ := run("list")
	if code != 0 {
		t.Fatalf("exit %d", code)
	}
	for line := range strings.Lines(short) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width() {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	code, long, _ := run("list", "--long")
	if code != 0 {
		t.Fatalf("exit %d", code)
	}
	for _, e := range catalog.All() {
		if !strings.Contains(short, "\n "+e.Name+" ") || !strings.Contains(long, e.Source) {
			t.Errorf("the list does not name %s or its source", e.Name)
		}
	}
	for _, w := range workload.All() {
		if !strings.Contains(short, "\n "+w.Name+" ") || !strings.Contains(long, w.Summary) {
			t.Errorf("the list does not name %s or what it does", w.Name)
		}
	}
	for _, m := range workload.Models() {
		if name := m.Kind().Name; !strings.Contains(short, "\n "+name+" ") {
			t.Errorf("the list does not name the model %s", name)
		}
	}
	if !strings.Contains(long, "any: 1000") || !strings.Contains(long, "658000") {
		t.Errorf("the list does not say with how many timers it has measured: %s", long)
	}
	if _, only, _ := run("list", "workloads"); strings.Contains(only, "red-black") || !strings.Contains(only, "cache-ttl") {
		t.Errorf("list workloads prints %q", only)
	}
}

// The bound of hwheel-linux is a share of the delay, reached where a level begins.
func TestTheDeclaredBoundIsSaidRightly(t *testing.T) {
	t.Parallel()
	e, _ := catalog.Find("hwheel-linux")
	if got, want := lateBy(e), "less than 8/63 (12.7 %) of the delay"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if e, _ = catalog.Find("hwheel"); lateBy(e) != "never" {
		t.Errorf("hwheel: %q", lateBy(e))
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	code, stdout, _ := run("--version")
	if code != 0 || !strings.HasPrefix(stdout, "timerbench version (devel), ") || !strings.Contains(stdout, runtime.Version()) {
		t.Errorf("exit %d: %q", code, stdout)
	}
}

func TestHelpHasExamples(t *testing.T) {
	for _, command := range []string{"run", "report", "list", "scenario"} {
		if code, stdout, _ := run(command, "--help"); code != 0 || !strings.Contains(stdout, "Examples:") {
			t.Errorf("%s --help: exit %d, without examples", command, code)
		}
	}
}

// full is a standard output that nothing can be written to, such as /dev/full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// leaves returns the commands that do something, as typed.
func leaves(cmd *cobra.Command) []string {
	if !cmd.HasSubCommands() {
		return []string{subcommand(cmd)}
	}
	var out []string
	for _, c := range cmd.Commands() {
		out = append(out, leaves(c)...)
	}
	return out
}
