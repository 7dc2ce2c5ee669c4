package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/internal/fail"
)

var update = flag.Bool("update", false, "rewrite what documents show of the command's output")

// If asCommand is set, the test binary is the command. If asProgram is set, it is a program to
// record, whose behavior the value chooses.
const (
	asCommand = "TIMERBENCH_TEST_AS_COMMAND"
	asProgram = "TIMERBENCH_TEST_AS_PROGRAM"
)

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	if how := os.Getenv(asProgram); how != "" {
		os.Exit(program(how))
	}
	_ = os.Setenv("COLUMNS", "1000") // tests look for whole sentences
	code := m.Run()
	_ = os.RemoveAll(measured.folder)
	os.Exit(code)
}

// command returns the command as a separate process.
func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// run executes a command line and returns its exit code and its output.
func run(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = execute(args, &out, &errs)
	return code, out.String(), errs.String()
}

// must executes a command line and fails the test if the command fails.
func must(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := run(args...)
	if code != 0 {
		t.Fatalf("%q: exit %d: %s", args, code, stderr)
	}
	return stdout, stderr
}

// refused checks that a command line is refused with code 2, and with an error that contains each part.
func refused(t *testing.T, args []string, parts ...string) {
	t.Helper()
	endsWith(t, exitMisuse, args, parts...)
}

// endsWith checks that a command line prints nothing and ends with a code and an error that contains each part.
func endsWith(t *testing.T, want int, args []string, parts ...string) {
	t.Helper()
	code, stdout, stderr := run(args...)
	if code != want || stdout != "" {
		t.Errorf("%q: exit %d, want %d; printed %q; %s", args, code, want, stdout, stderr)
	}
	fail.Unless(t, stderr, parts...)
}

// tiny is the fastest possible run. Runs count the allocations of the whole process, so parallel
// tests start runs in separate processes.
var tiny = []string{"run", "-p", "smoke", "-s", "^hwheel$", "-w", "^churn$", "-n", "10", "--trials", "6"}

// measured is a run that tests read. Tests that change results copy them.
var measured struct {
	sync.Once
	folder, said string
}

// aRun returns the folder of a run with two exact structures, a coarse one and an intrusive one on two workloads at two sizes.
func aRun(t *testing.T) string {
	t.Helper()
	measured.Do(func() {
		var err error
		if measured.folder, err = os.MkdirTemp("", "timerbench-test-"); err != nil {
			t.Fatal(err)
		}
		_, measured.said = must(t, "run", "-p", "smoke", "-s", "^(hwheel|hwheel-linux|rbtree|intrusive-heap)$", "-w", "^hold$|kafka",
			"-n", "50,1e2", "--trials", "2", "--seed", "9", "-o", filepath.Join(measured.folder, "run"))
	})
	return filepath.Join(measured.folder, "run")
}

// resultsOf reads the results in a folder.
func resultsOf(t *testing.T, folder string) *results.Run {
	t.Helper()
	r, err := store.ReadFile(filepath.Join(folder, store.FileName))
	fail.If(t, err)
	return r
}

// put creates a folder and writes results into it.
func put(t *testing.T, folder string, r *results.Run) {
	t.Helper()
	r.Format, r.Version = results.Format, results.Version
	fail.If(t, errors.Join(os.MkdirAll(folder, 0o755), store.Write(filepath.Join(folder, store.FileName), r)))
}

// contents returns the regular files below a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			out[path] = fail.Read(t, path)
		}
		return err
	})
	fail.If(t, err)
	return out
}

// leaves returns the full names of the commands without subcommands, except hidden ones.
func leaves(cmd *cobra.Command) (out []string) {
	if cmd.Hidden {
		return nil
	}
	if !cmd.HasSubCommands() {
		return []string{subcommand(cmd)}
	}
	for _, c := range cmd.Commands() {
		out = append(out, leaves(c)...)
	}
	return out
}

func TestVersion(t *testing.T) {
	stdout, _ := must(t, "--version")
	fail.Unless(t, stdout, "timerbench version v0.1.0, ", runtime.Version())
}

func TestHintsCanBeCopied(t *testing.T) {
	fail.UnlessSame(t, "the command line", asTyped("report", "my runs/it's", "a+b=c"), os.Args[0]+` report 'my runs/it'\''s' a+b=c`)
}

// The help and the output of the commands fit the terminal.
func TestOutputFitsTheTerminal(t *testing.T) {
	trace, err := filepath.Abs("../../traces/http.trace")
	fail.If(t, err)
	lines := [][]string{{"--help"}, {"trace", "--help"}, {"list"}, {"trace", "info", trace}, {"explain", "auto", "-r", aRun(t)},
		{"recommend", "--n", "50", aRun(t)}, {"recommend", "--by", "memory"},
		{"recommend", "--n", "1e5", "--cancel", "50%", "--dist", "clustered", "--late", "../../docs/results/amd-epyc-family-26-model-2-2-cores.json.gz"}, {"doctor"}}
	for _, command := range leaves(newRoot()) {
		if !strings.HasPrefix(command, "completion") { // its help is that of cobra
			lines = append(lines, append(strings.Fields(command), "--help"))
		}
	}
	for columns, text := range map[int]string{80: "", 100: "100"} {
		t.Setenv("COLUMNS", text)
		for _, args := range lines {
			stdout, _ := must(t, args...)
			for line := range strings.SplitSeq(stdout, "\n") {
				if n := utf8.RuneCountInString(line); n > columns {
					t.Errorf("%q: %d columns, want %d: %s", args, n, columns, line)
				}
			}
			if slices.Contains(args, "--help") && len(args) == 2 {
				fail.Unless(t, stdout, "Examples:")
			}
		}
	}
}

// full is a standard output without space, like /dev/full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// Each command fails if it cannot write its output. Commands print to the output of cobra.
func TestEveryCommandFailsIfItCannotWrite(t *testing.T) {
	sources, err := filepath.Glob("*.go")
	fail.If(t, err)
	for _, file := range sources {
		if text := fail.Read(t, file); !strings.HasSuffix(file, "_test.go") && file != "main.go" && strings.Contains(text, "os.Stdout") {
			t.Errorf("%s: the standard output is that of the command", file)
		}
	}
	done := aRun(t)
	for _, line := range []string{"--help", "--version", "trace", "run --dry-run",
		"compare " + done + " " + done, "scenario print hold", "doctor", "list", "verify -s ^hwheel$ -w ^hold$ -n 10 --seeds 1"} {
		want := exitError
		if strings.HasPrefix(line, "compare") {
			want = exitMisuse
		}
		var stderr strings.Builder
		code := execute(strings.Fields(line), full{}, &stderr)
		if code != want || !strings.Contains(stderr.String(), "no space left on device") {
			t.Errorf("%s: exit %d, want %d: %s", line, code, want, stderr.String())
		}
	}
}
