// Package record runs a program that records what it does with its timers, as [trace.FromEnv] and
// [trace.TimersFromEnv] do, and keeps the traces that it leaves.
package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/timerbench/timerbench/internal/atomicfile"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// Recording is a program that is to be run, and where its traces go: one to the file Out, further
// ones beside it, to Out-2 and so on.
type Recording struct {
	Out            string
	Command        []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Run runs the program to its end. The program writes its traces into a temporary directory
// beside the file. Run then moves those that are complete to where they belong, and says so on
// Stderr. It returns an error if the program fails and was not interrupted, if it leaves no trace,
// or one that is not complete.
//
// It passes an interrupt on to the program. A second one, half a second later or more, kills it.
func (r Recording) Run() error {
	out, err := atomicfile.Target(r.Out)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(out), ".timerbench-*")
	if err != nil {
		return err
	}
	// Until the traces are where they belong: a second signal often follows the first.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	err = r.run(out, dir, signals)
	return errors.Join(err, os.RemoveAll(dir))
}

func (r Recording) run(out, dir string, signals <-chan os.Signal) error {
	path, err := filepath.Abs(filepath.Join(dir, filepath.Base(out)))
	if err != nil {
		return err
	}
	cmd := exec.Command(r.Command[0], r.Command[1:]...)
	cmd.Env = append(os.Environ(), trace.EnvFile+"="+path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.Stdin, r.Stdout, r.Stderr
	interrupted, err := wait(cmd, signals)
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		return fmt.Errorf("recording: %w", err)
	case interrupted:
		err = nil
	case err != nil:
		err = fmt.Errorf("%s ended with %w", r.Command[0], err)
	}
	return errors.Join(err, r.collect(dir, filepath.Dir(out)))
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
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var first time.Time // of the signals
	for {
		select {
		case err := <-ended:
			return !first.IsZero(), err
		case s := <-signals:
			switch {
			case first.IsZero():
				first = time.Now()
				if s != os.Interrupt || !term.IsTerminal(int(os.Stdin.Fd())) {
					_ = cmd.Process.Signal(s) // it may have ended
				}
			case time.Since(first) >= oneSignal:
				_ = cmd.Process.Kill()
			}
		}
	}
}

// collect checks the traces in dir and moves them to the folder to.
func (r Recording) collect(dir, to string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%s recorded nothing: was it built by \"trace build\", or does it call trace.FromEnv or "+
			"trace.TimersFromEnv, and did their stop return an error?", r.Command[0])
	}
	var all error
	for _, f := range files {
		all = errors.Join(all, r.keep(filepath.Join(dir, f.Name()), filepath.Join(to, f.Name())))
	}
	return all
}

// keep checks a trace and copies it to where it belongs.
func (r Recording) keep(written, path string) error {
	path, err := atomicfile.Target(path)
	if err != nil {
		return err
	}
	s, err := tracestat.Read(written)
	if errors.Is(err, trace.ErrCutShort) {
		return fmt.Errorf("the recording was not completed: %s was killed, or did not call stop, of "+
			"trace.FromEnv or trace.TimersFromEnv, before it ended", r.Command[0])
	}
	var size int64
	if err == nil {
		size, err = compress(written, path)
	}
	if err == nil {
		fmt.Fprintf(r.Stderr, "%s: %d operations in %s\n", path, s.Totals.Count(), show.Bytes(float64(size)))
	}
	return err
}

// compress copies a trace and returns the length of the copy. What a program of "trace
// build" writes is not compressed.
func compress(from, to string) (size int64, err error) {
	file, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }() // it is only read
	r, err := trace.NewReader(file, from)
	if err != nil {
		return 0, err
	}
	err = atomicfile.Write(to, func(out io.Writer) error {
		w, err := trace.NewWriter(out, r.Header())
		if err != nil {
			return err
		}
		return errors.Join(trace.Copy(w, r), w.Close())
	})
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(to)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
