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
	"github.com/timerbench/timerbench/trace/importer"
)

type traceImportFlags struct{ ftrace, nginx, about, out string }

func newTraceImport() *cobra.Command {
	var f traceImportFlags
	cmd := &cobra.Command{
		Use:   "import {--ftrace | --nginx} FILE -o FILE",
		Short: "Make traces of the timers of a Linux kernel, or of nginx",
		Long: `Read what a Linux kernel did with its timers, in the text of trace-cmd report or perf script,
and write two traces: with "-wheel" added to the name those of the timer wheel, with
"-hrtimer" those of high resolution. Record the events timer:timer_start, timer_cancel and
timer_expire_entry, and the same with hrtimer_, for longer than a second.

Or read the error log of an nginx that was built --with-debug, as that of Debian is, with
"error_log FILE debug;" in its configuration, and write a trace of its timers.`,
		Example: `  trace-cmd record -e timer:timer_start -e timer:timer_cancel -e timer:timer_expire_entry \
    -e timer:hrtimer_start -e timer:hrtimer_cancel -e timer:hrtimer_expire_entry sleep 60
  trace-cmd report | timerbench trace import --ftrace - -o kernel.trace
  timerbench trace replay kernel-wheel.trace
  timerbench trace import --nginx /var/log/nginx/error.log -o nginx.trace`,
		Args: cobra.NoArgs,
		RunE: f.run,
	}
	cmd.Flags().StringVar(&f.ftrace, "ftrace", "", "`file` of text from the kernel; - is the standard input")
	cmd.Flags().StringVar(&f.nginx, "nginx", "", "`file` of nginx's log; - is the standard input")
	cmd.Flags().StringVar(&f.about, "about", "", "`text` that describes the traces")
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "`file` whose name those of the traces are made of")
	cmd.MarkFlagsOneRequired("ftrace", "nginx")
	cmd.MarkFlagsMutuallyExclusive("ftrace", "nginx")
	_ = cmd.MarkFlagRequired("out") // the flag is there
	return cmd
}

func (f *traceImportFlags) run(cmd *cobra.Command, _ []string) error {
	flag, from := "--ftrace", f.ftrace
	if cmd.Flags().Changed("nginx") {
		flag, from = "--nginx", f.nginx
	}
	in, name := cmd.InOrStdin(), "the standard input"
	if from != "-" {
		file, err := os.Open(from)
		if err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
		defer func() { _ = file.Close() }() // it is only read
		in, name = file, from
	}
	return f.write(cmd.ErrOrStderr(), func(create createTrace) error {
		if flag == "--ftrace" {
			return importer.Ftrace(in, name, func(kind string, tick time.Duration) (*trace.Writer, error) {
				return create("-"+kind, "the timers of a Linux kernel: "+kind, tick)
			})
		}
		return importer.Nginx(in, name, func() (*trace.Writer, error) {
			return create("", "the timers of nginx", time.Millisecond)
		})
	})
}

// createTrace begins a trace, to whose name something is added.
type createTrace func(suffix, about string, tick time.Duration) (*trace.Writer, error)

// write writes the traces into a temporary directory beside the file, and moves them where
// they belong if all went well.
func (f *traceImportFlags) write(stderr io.Writer, read func(createTrace) error) (err error) {
	dir, err := os.MkdirTemp(filepath.Dir(f.out), ".timerbench-*")
	if err != nil {
		return fmt.Errorf("--out %s: %w", f.out, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ext := filepath.Ext(f.out)
	base := strings.TrimSuffix(filepath.Base(f.out), ext)
	var files []*os.File
	err = read(func(suffix, about string, tick time.Duration) (*trace.Writer, error) {
		file, err := os.Create(filepath.Join(dir, base+suffix+ext))
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		return trace.NewWriter(file, trace.Header{
			Name: base + suffix, Description: cmp.Or(f.about, about), Tick: tick, Sites: true,
		})
	})
	for _, file := range files {
		err = cmp.Or(err, file.Close())
	}
	for _, file := range files {
		var target string
		if err == nil {
			target, err = atomicfile.Target(filepath.Join(filepath.Dir(f.out), filepath.Base(file.Name())))
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
