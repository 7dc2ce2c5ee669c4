//go:build unix

package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

// asCommand makes the test binary behave as the command itself.
const asCommand = "TIMERBENCH_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	if how := os.Getenv(asProgram); how != "" {
		os.Exit(program(how))
	}
	_ = os.Setenv("COLUMNS", "1000") // tests look for whole sentences
	os.Exit(m.Run())
}

// signalAtThirdStep runs the command as a process of its own, and sends it a signal each
// time that it announces its third step. It returns the process, what it said, and how
// it ended.
func signalAtThirdStep(t *testing.T, signal os.Signal, args ...string) (cmd *exec.Cmd, said string, ended error) {
	t.Helper()
	cmd = exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		text.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), "[3/") {
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
		}
	}
	ended = cmd.Wait()
	return cmd, text.String(), ended
}

// The third step is announced only once two are on disk; the interrupt is sent
// then.
func TestCtrlCLeavesTheFinishedPartValid(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	cmd, said, err := signalAtThirdStep(t, os.Interrupt, "run", "-s", "minheap", "-w", "^hold$", "-n", "10,20,1e6,1e6,1e6,1e6,1e6", "-o", out)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
		t.Fatalf("ended with %v (signalled: %v), want exit %d; it said:\n%s", err, status.Signaled(), exitInterrupted, said)
	}
	for _, want := range []string{"timerbench: stopping (again to end at once)", "the steps that were finished are in"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q: %q", want, said)
		}
	}
	r, err := results.Read(filepath.Join(out, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	if r.Complete || len(r.Cells) != 2 {
		t.Errorf("complete %v with %d cells, want 2 and not complete", r.Complete, len(r.Cells))
	}
	if code, _, stderr := run("report", "--out", out); code != 0 {
		t.Errorf("the report of an interrupted run: exit %d: %s", code, stderr)
	}
}

// A command that has nothing to keep ends at the first Ctrl-C, whatever it waits
// for.
func TestCtrlCEndsWhatHasNothingToKeep(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "results.json")
	if err := syscall.Mkfifo(file, 0o644); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(os.Args[0], "report", file)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(file, os.O_WRONLY, 0) // waits until the command reads
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pipe.Close() }()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	giveUp := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	defer giveUp.Stop()
	_ = cmd.Wait() // an error, as it was killed
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
}
