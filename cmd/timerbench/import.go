package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/internal/atomicfile"
	"github.com/timerbench/timerbench/trace"
)

func newTraceImport() *cobra.Command {
	var from, out string
	cmd := &cobra.Command{
		Use:   "import --ftrace FILE -o FILE",
		Short: "Make traces of the timers of a Linux kernel",
		Long: `Read what a Linux kernel did with its timers, in the text of trace-cmd report or perf script,
and write two traces: with "-wheel" added to the name those of the timer wheel, with
"-hrtimer" those of high resolution. Record the events timer:timer_start, timer_cancel and
timer_expire_entry, and the same with hrtimer_, for longer than a second.`,
		Example: `  trace-cmd record -e timer:timer_start -e timer:timer_cancel -e timer:timer_expire_entry \
    -e timer:hrtimer_start -e timer:hrtimer_cancel -e timer:hrtimer_expire_entry sleep 60
  trace-cmd report | timerbench trace import --ftrace - -o kernel.trace
  timerbench trace replay kernel-wheel.trace`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from == "-" {
				return importFtrace(cmd.InOrStdin(), "the standard input", out, cmd.ErrOrStderr())
			}
			file, err := os.Open(from)
			if err != nil {
				return fmt.Errorf("--ftrace: %w", err)
			}
			defer func() { _ = file.Close() }() // it is only read
			return importFtrace(file, from, out, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&from, "ftrace", "", "`file` of text from the kernel; - is the standard input")
	cmd.Flags().StringVarP(&out, "out", "o", "", "`file` whose name those of the traces are made of")
	for _, required := range []string{"ftrace", "out"} {
		_ = cmd.MarkFlagRequired(required) // the flag is there
	}
	return cmd
}

// importFtrace writes the traces into a temporary directory beside the file, and moves them
// where they belong if all went well.
func importFtrace(in io.Reader, name, out string, stderr io.Writer) (err error) {
	dir, err := os.MkdirTemp(filepath.Dir(out), ".timerbench-*")
	if err != nil {
		return fmt.Errorf("--out %s: %w", out, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ext := filepath.Ext(out)
	base := strings.TrimSuffix(filepath.Base(out), ext)
	var files []*os.File
	err = trace.ImportFtrace(in, name, func(kind string, tick time.Duration) (*trace.Writer, error) {
		file, err := os.Create(filepath.Join(dir, base+"-"+kind+ext))
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		return trace.NewWriter(file, trace.Header{
			Name: base + "-" + kind, Description: "the timers of a Linux kernel: " + kind, Tick: tick, Sites: true,
		})
	})
	for _, file := range files {
		err = cmp.Or(err, file.Close())
	}
	for _, file := range files {
		var target string
		if err == nil {
			target, err = atomicfile.Target(filepath.Join(filepath.Dir(out), filepath.Base(file.Name())))
		}
		if err == nil {
			err = os.Rename(file.Name(), target)
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(stderr, target)
	}
	return err
}
