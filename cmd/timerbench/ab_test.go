//go:build unix

package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

func TestABOfTheSameProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the command 6 times")
	}
	t.Setenv(asCommand, "1")
	out := filepath.Join(t.TempDir(), "ab")
	code, stdout, stderr := run("ab", "--old", os.Args[0], "--new", os.Args[0], "-s", "^(quadheap|hwheel)$", "-w", "^hold$", "-n", "50", "--rounds", "1", "--pairs", "2", "--layouts", "1", "--min-effect", "900%", "-o", out)
	if code != 0 || !strings.Contains(stdout, "hwheel") || !strings.Contains(stdout, "No difference") || strings.Contains(stdout, "BESIDE") {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	for _, side := range []string{"old", "new"} {
		r, err := results.Read(filepath.Join(out, side, resultsFile))
		if err != nil || r.Parameters.Session == "" || len(r.Cells) != 1 || len(r.Cells[0].Rows[1].Cost) != 8 { // of two runs
			t.Errorf("%s: %v", side, err)
		}
		if info, err := os.Stat(filepath.Join(out, side, benchfmtFile)); err != nil || info.Size() == 0 {
			t.Errorf("%s: no benchmark lines: %v", side, err)
		}
	}
	if code, again, stderr := run("compare", filepath.Join(out, "old"), filepath.Join(out, "new"), "--min-effect", "900%"); code != 0 || again != stdout {
		t.Errorf("compare of the kept results, exit %d, %s:\n%swant:\n%s", code, stderr, again, stdout)
	}
	code, _, stderr = run("ab", "--old", os.Args[0], "--new", os.Args[0], "-s", "hweel", "--pairs", "2", "--layouts", "1", "-o", filepath.Join(out, "none"))
	if code != exitMisuse || !strings.Contains(stderr, `did you mean "hwheel"?`) {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if _, err := os.Stat(filepath.Join(out, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a session that failed left its folder: %v", err)
	}
}

// Ctrl-C in a session ends the runs, and leaves neither temporary files nor an empty
// folder.
func TestCtrlCEndsASession(t *testing.T) {
	t.Parallel()
	dir, temporary := t.TempDir(), t.TempDir()
	cmd := exec.Command(os.Args[0], "ab", "--old", os.Args[0], "--new", os.Args[0], "-s", "^(quadheap)$", "-w", "^hold$", "-n", "1e6", "--rounds", "50", "--layouts", "1", "-o", filepath.Join(dir, "out"))
	cmd.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+temporary)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "[1/") {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want exit %d", err, exitInterrupted)
	}
	for _, left := range []string{dir, temporary} {
		if entries, _ := os.ReadDir(left); len(entries) > 0 {
			t.Errorf("it left %v", entries)
		}
	}
}
