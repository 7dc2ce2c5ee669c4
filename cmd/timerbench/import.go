package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/internal/atomicfile"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/importer"
)

func newTraceImport() *cobra.Command {
	var ftrace, nginx, about, out string
	cmd := &cobra.Command{
		Use:   "import {--ftrace | --nginx} FILE -o FILE",
		Short: "Make traces of the timers of a Linux kernel, or of nginx",
		Long: `Read what a Linux kernel did with its timers, in the text of trace-cmd report or
perf script, and write two traces: with "-wheel" added to the name those of the
timer wheel, with "-hrtimer" those of high resolution. Record the events
timer:timer_start, timer_cancel and timer_expire_entry, and the same with
hrtimer_, for longer than a second.

Or read the error log of an nginx that was built --with-debug, as that of Debian
is, with "error_log FILE debug;" in its configuration, and write a trace of its
timers.`,
		Example: `  trace-cmd record -e timer:timer_start -e timer:timer_cancel \
    -e timer:timer_expire_entry -e timer:hrtimer_start \
    -e timer:hrtimer_cancel -e timer:hrtimer_expire_entry sleep 60
  trace-cmd report | timerbench trace import --ftrace - -o kernel.trace
  timerbench trace replay kernel-wheel.trace
  timerbench trace import --nginx /var/log/nginx/error.log -o nginx.trace`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flag, from := "--ftrace", ftrace
			if cmd.Flags().Changed("nginx") {
				flag, from = "--nginx", nginx
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
			if _, err := atomicfile.Target(out); err != nil {
				return fmt.Errorf("--out %s: %w", out, err)
			}
			// Nothing is written before all is read.
			var files []*bytes.Buffer
			var paths []string
			base, ext := strings.TrimSuffix(out, filepath.Ext(out)), filepath.Ext(out)
			create := func(suffix, of string, tick time.Duration) (*trace.Writer, error) {
				files, paths = append(files, new(bytes.Buffer)), append(paths, base+suffix+ext)
				return trace.NewWriter(files[len(files)-1], trace.Header{
					Name: filepath.Base(base) + suffix, Description: cmp.Or(about, of), Tick: tick, Sites: true,
				})
			}
			var err error
			if flag == "--nginx" {
				err = importer.Nginx(in, name, func() (*trace.Writer, error) {
					return create("", "the timers of nginx", time.Millisecond)
				})
			} else {
				err = importer.Ftrace(in, name, func(kind string, tick time.Duration) (*trace.Writer, error) {
					return create("-"+kind, "the timers of a Linux kernel: "+kind, tick)
				})
			}
			for i, path := range paths {
				if err != nil {
					break
				}
				if err = atomicfile.WriteBytes(path, files[i].Bytes()); err == nil {
					fmt.Fprintln(cmd.ErrOrStderr(), path)
				}
			}
			return err
		},
	}
	cmd.Flags().StringVar(&ftrace, "ftrace", "", "`file` of text from the kernel; - is the standard input")
	cmd.Flags().StringVar(&nginx, "nginx", "", "`file` of nginx's log; - is the standard input")
	cmd.Flags().StringVar(&about, "about", "", "`text` that describes the traces")
	cmd.Flags().StringVarP(&out, "out", "o", "", "`file` whose name those of the traces are made of")
	cmd.MarkFlagsOneRequired("ftrace", "nginx")
	cmd.MarkFlagsMutuallyExclusive("ftrace", "nginx")
	_ = cmd.MarkFlagRequired("out") // the flag is there
	return cmd
}
