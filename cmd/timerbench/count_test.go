//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeValgrind reports ten instructions of the structure per operation, or nine if the name of the
// program is lean. It prints what the program prints.
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
		if _, ok := rows[0][key]; !ok {
			t.Errorf("%v lacks %s", rows[0], key)
		}
	}
	if rows[0]["l1_misses"] == 0.0 {
		t.Errorf("misses are not counted: %v", rows[0])
	}
	says(t, stderr, "0 of 1 counts of instructions differ by 0.2 %")

	code, stdout, stderr := run(append(count, "--json", "--fail-on-regression", "--against", filepath.Join(dir, "lean"))...)
	if code != exitError || !strings.HasPrefix(stdout, "[") {
		t.Errorf("exit %d, the standard output is %.50s", code, stdout)
	}
	says(t, stderr, "1 of 1 counts of instructions differ by 0.2 %", "--fail-on-regression")
	refused(t, []string{"count", "--fail-on-regression"}, "needs --against")
	t.Setenv("PATH", t.TempDir())
	refused(t, count, "no valgrind: apt-get install valgrind")
}
