//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/internal/tracetest"
	"github.com/timerbench/timerbench/trace"
)

func TestRecordInfoReplay(t *testing.T) {
	t.Chdir(t.TempDir())
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asProgram+"=1", trace.EnvFile+"=my.trace")
	if said, err := cmd.CombinedOutput(); err != nil || filesIn(t, ".") != "my.trace" {
		t.Fatalf("%v: %s; it left %q", err, said, filesIn(t, "."))
	}
	stdout, _ := must(t, "trace", "info", "my.trace")
	says(t, stdout, "4,999 ticks, 4.999s", "2,000 operations a second", "29.9 timers on average, 30 at most, 30 at the end", "schedule                   5,000")

	must(t, "trace", "replay", "my.trace", "-s", "^(minheap|hwheel|hwheel-linux)$", "--trials", "2", "--out", "out")
	r := resultsOf(t, "out")
	if c := r.Cells[0]; !r.Complete || c.Workload != "trace-program" || c.N != 30 || len(c.Rows) != 5 || c.TickNS != 1e6 {
		t.Errorf("complete %v, cell %s, n %d, tick %d ns, %d rows", r.Complete, c.Workload, c.N, c.TickNS, len(c.Rows))
	}
}

// The readable part of a trace that is cut short is used, with a warning. A damaged trace is not replayed at all.
func TestADamagedTrace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "my.trace.4711.tmp")
	tracetest.File(t, path, "churn", 1000, 2e5)
	whole := readText(t, path)
	writeText(t, path, whole[:len(whole)-1])
	for _, args := range [][]string{
		{"trace", "info"}, {"recommend", "--trace"},
		{"trace", "replay", "-s", "^minheap$", "--trials", "2", "-o", filepath.Join(t.TempDir(), "out")},
	} {
		stdout, stderr := must(t, append(args, path)...)
		says(t, stderr, "warning: "+path+": byte ", "the trace is cut short", ": only the operations before are used")
		if args[1] == "info" {
			says(t, stdout, "(cut short)")
		}
	}
	flipped := []byte(whole)
	flipped[len(flipped)-200] ^= 1
	for want, data := range map[string]string{"cut short": whole[:100], "checksum": string(flipped)} {
		writeText(t, path, data)
		refused(t, []string{"trace", "info", path}, path+": byte ", want)
		refused(t, []string{"trace", "replay", path, "-o", filepath.Join(dir, "out")}, path+": byte ", want)
		if got := filesIn(t, dir); got != filepath.Base(path) {
			t.Errorf("%s: left %q", want, got)
		}
	}
}

// fakeValgrind reports ten instructions of the structure per operation, or nine if the name of the
// program is lean. It prints the output of the program.
const fakeValgrind = `#!/bin/sh
while :; do case $1 in --cachegrind-out-file=*) out=${1#*=}; shift;; -*) shift;; *) break;; esac; done
case $1 in *lean) per=9;; *) per=10;; esac
for a; do case $a in first) n=200000;; both) n=400000;; esac; done
cat >"$out" <<END
events: Ir Dr Dw D1mr D1mw DLmr DLmw Bcm Bim
fn=github.com/timerbench/timerbench/structures/auto.(*Timers).Schedule
1 $((n * per)) $n 0 $n 0 0 0 0 0
END
`

func TestCount(t *testing.T) {
	dir := t.TempDir()
	printed, _ := must(t, "count-replay", "auto", "start-stop", "10", "1", "proof")
	prints := "echo '" + strings.TrimSpace(printed) + "'\n"
	for name, text := range map[string]string{
		"setarch": "#!/bin/sh\nshift\nexec \"$@\"\n", "valgrind": fakeValgrind + prints,
		"lean": "#!/bin/sh\n" + prints, "old": "#!/bin/sh\n" + prints,
	} {
		writeText(t, filepath.Join(dir, name), text)
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv(asCommand, "1") // for the proof
	count := []string{"count", "-s", "^auto$", "-w", "^start-stop$", "--n", "10"}

	stdout, _ := must(t, count...)
	says(t, stdout, "start-stop  10  auto       ", "32 MB")

	// The array comes with a comparison, too.
	stdout, stderr := must(t, append(count, "--json", "--against", filepath.Join(dir, "old"))...)
	var rows []map[string]any
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil || len(rows) != 1 {
		t.Fatalf("%v: %s", err, stdout)
	}
	for _, key := range []string{"structure", "workload", "n", "instructions", "l1_misses", "ll_misses", "mispredicted"} {
		if rows[0][key] == nil || key == "l1_misses" && rows[0][key] == 0.0 {
			t.Errorf("%v: no %s", rows[0], key)
		}
	}
	says(t, stderr, "No difference: none of 1 ratios")

	code, stdout, stderr := run(append(count, "--json", "--fail-on-regression", "--against", filepath.Join(dir, "lean"))...)
	if code != exitError || !strings.HasPrefix(stdout, "[") {
		t.Errorf("exit %d, the standard output is %.50s", code, stdout)
	}
	says(t, stderr, "1 of 1 execute more (auto on start-stop, n 10", "--fail-on-regression")
	refused(t, []string{"count", "--fail-on-regression"}, "needs --against")
	t.Setenv("PATH", t.TempDir())
	endsWith(t, exitError, count, "no valgrind: apt-get install valgrind")
}
