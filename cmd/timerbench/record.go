package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/timerbench/timerbench/internal/atomicfile"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

func newTraceRecord() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "record -o FILE -- command [argument...]",
		Short: "Run a Go program and record what it does with its timers",
		Long: `Run a Go program with ` + trace.EnvFile + ` set, which tells trace.FromEnv and
trace.TimersFromEnv to record. End a server as always, with Ctrl-C or SIGTERM. The
program must then call the stop function that it got from them. stop completes the
trace.

A program with several schedulers leaves a file for each: FILE, FILE-2 and so on.`,
		Example: `  timerbench trace record -o my.trace -- ./myserver --port 8080
  timerbench trace record -o test.trace -- go test -run TestLoad ./mypackage`,
		Args: argsFrom(1, 0, "the command to record"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := recording{out: out, stdin: cmd.InOrStdin(), stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
			if o, ok := r.stdout.(*output); ok {
				r.stdout = o.Writer // the command may ask if it is a terminal
			}
			return r.run(args)
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVarP(&out, "out", "o", "", "`file` for the trace")
	_ = cmd.MarkFlagRequired("out") // the flag is there
	return cmd
}

type recording struct {
	out            string
	stdin          io.Reader
	stdout, stderr io.Writer
}

// run runs the command. The program writes its traces into a temporary directory
// beside the file. run then moves those that are complete to where they belong.
func (r recording) run(command []string) error {
	target, err := atomicfile.Target(r.out)
	if err != nil {
		return fmt.Errorf("--out %s: %w", r.out, err)
	}
	r.out = target
	dir, err := os.MkdirTemp(filepath.Dir(r.out), ".timerbench-*")
	if err != nil {
		return fmt.Errorf("--out %s: %w", r.out, err)
	}
	// Until the traces are where they belong: a second signal often follows the first.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	err = r.record(dir, command, signals)
	return errors.Join(err, os.RemoveAll(dir))
}

func (r recording) record(dir string, command []string, signals <-chan os.Signal) error {
	path, err := filepath.Abs(filepath.Join(dir, filepath.Base(r.out)))
	if err != nil {
		return err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), trace.EnvFile+"="+path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.stdin, r.stdout, r.stderr
	interrupted, err := wait(cmd, signals)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("recording: %w", err)
	}
	if err != nil && !interrupted {
		err = fmt.Errorf("%s ended with %w", command[0], err)
	} else {
		err = nil
	}
	return errors.Join(err, r.collect(dir, command[0]))
}

// oneSignal is the time in which two signals count as one, because timeout(1) sends
// each signal to the process and to its group. It is chosen.
const oneSignal = 500 * time.Millisecond

// wait runs a command to its end. It passes the first signal on, unless the terminal
// has sent it to the command as well. At the next signal it kills the command.
func wait(cmd *exec.Cmd, signals <-chan os.Signal) (interrupted bool, err error) {
	if err := cmd.Start(); err != nil {
		return false, err
	}
	ended, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		var first time.Time
		for {
			select {
			case <-ended.Done():
				return
			case s := <-signals:
				switch {
				case interrupted && time.Since(first) < oneSignal:
					continue
				case interrupted:
					_ = cmd.Process.Kill() // it may have ended
				case s != os.Interrupt || !term.IsTerminal(int(os.Stdin.Fd())):
					_ = cmd.Process.Signal(s)
				}
				if !interrupted {
					interrupted, first = true, time.Now()
				}
			}
		}
	}()
	err = cmd.Wait()
	stop()
	<-done
	return interrupted, err
}

// collect checks the traces in dir and moves them to the directory of r.out.
func (r recording) collect(dir, command string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%s recorded nothing: does it call trace.FromEnv or trace.TimersFromEnv, and did their stop return an error?", command)
	}
	var all error
	for _, f := range files {
		written := filepath.Join(dir, f.Name())
		path, err := atomicfile.Target(filepath.Join(filepath.Dir(r.out), f.Name()))
		if err != nil {
			all = errors.Join(all, err)
			continue
		}
		s, err := tracestat.Read(written)
		if errors.Is(err, trace.ErrCutShort) {
			err = fmt.Errorf("the recording was not completed: %s did not call stop, of trace.FromEnv or trace.TimersFromEnv, before it ended", command)
		}
		if err == nil {
			err = os.Rename(written, path)
		}
		if err != nil {
			all = errors.Join(all, err)
			continue
		}
		fmt.Fprintf(r.stderr, "%s: %d operations in %s\n", path, s.Totals.Count(), show.Bytes(float64(s.Bytes)))
	}
	return all
}
