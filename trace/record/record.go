// Package record runs a program that records its timers, and keeps the traces that it leaves: a
// program of "timerbench trace build", or one that calls [trace.FromEnv].
package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/timerbench/timerbench/internal/files"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/trace"
)

// Recording is a program to run, and the place for its traces. The first trace goes to the file
// Out, others to Out-2 and so on in the same folder.
type Recording struct {
	Out            string
	About          string // description of the traces; "": the program's own
	Command        []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Run runs the program to its end. The program writes its traces into a temporary folder next to Out. Run then moves
// them to their places and prints a line for each to Stderr. It keeps what there is of a trace that is cut short. Run
// returns an error if the program fails without having been interrupted, or if it leaves no operation.
//
// Run passes an interrupt on to the program. A second one, half a second later or more, kills it.
func (r Recording) Run() error {
	out, err := files.Target(r.Out)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(out), ".timerbench-*")
	if err != nil {
		return err
	}
	// The signals are caught until the traces are in place: a second one often follows the first.
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
	cmd.Env = append(os.Environ(), trace.Environ(path)...)
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

// oneSignal is the time in which two signals count as one, because timeout(1) sends each signal
// to the process and to its group. It is chosen.
const oneSignal = 500 * time.Millisecond

// wait runs a command to its end. It passes the first signal on, unless the terminal has sent it
// to the command as well. At the next signal it kills the command.
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
		return fmt.Errorf("%s recorded nothing: was it built by \"trace build\", or does it call trace.FromEnv, "+
			"and did its stop return an error?", r.Command[0])
	}
	var all error
	kept := map[string]bool{}
	for _, f := range files {
		name := temporary.ReplaceAllString(f.Name(), "")
		if process := temporary.FindStringSubmatch(f.Name()); process != nil && kept[name] {
			ext := filepath.Ext(name) // another process has completed a trace of this name
			name = strings.TrimSuffix(name, ext) + "-" + process[1] + ext
		}
		kept[name] = true
		all = errors.Join(all, r.keep(filepath.Join(dir, f.Name()), filepath.Join(to, name)))
	}
	return all
}

// temporary is the end of the name of a trace that is not complete.
var temporary = regexp.MustCompile(`\.(\d+)\.tmp$`)

// keep checks a trace and copies it to path, compressed. Programs of "trace build" write traces
// without compression. keep copies what there is of a trace that is cut short.
func (r Recording) keep(written, path string) error {
	path, err := files.Target(path)
	if err != nil {
		return err
	}
	in, err := trace.Open(written)
	if err != nil {
		return r.unlessCutShort(err)
	}
	defer func() { _ = in.Close() }() // it is only read
	header := in.Header()
	header.Description = cmp.Or(r.About, header.Description)
	if temporary.MatchString(written) {
		header.Description += " (cut short)"
	}
	var ops uint64
	err = files.Write(path, func(out io.Writer) error {
		w, err := trace.NewWriter(out, header)
		if err != nil {
			return err
		}
		err = trace.Copy(w, in)
		ops = w.Totals().Count()
		return errors.Join(err, w.Close())
	})
	if err != nil {
		return r.unlessCutShort(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Stderr, "%s: %s in %s\n", path, show.Count(ops, "operation"), show.Bytes(float64(info.Size())))
	if err := in.CutShort(); err != nil {
		fmt.Fprintf(r.Stderr, "%s: %v: its last operations are missing\n", path, r.unlessCutShort(err))
	}
	return nil
}

// unlessCutShort returns err, or a reason if it says that the trace is cut short.
func (r Recording) unlessCutShort(err error) error {
	if !errors.Is(err, trace.ErrCutShort) {
		return err
	}
	return fmt.Errorf("the recording was not completed: %s ended by a panic, by another fatal error or by a signal such as SIGKILL, "+
		"or without a call of the stop that trace.FromEnv returns; exec ends a program, too", r.Command[0])
}
