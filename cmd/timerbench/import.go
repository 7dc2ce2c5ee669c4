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
	var nginx, about, out string
	cmd := &cobra.Command{
		Use:   "import --nginx FILE -o FILE",
		Short: "Make a trace of the timers of nginx",
		Long: `Read the error log of an nginx that was built --with-debug, as that of Debian
is, with "error_log FILE debug;" in its configuration, and write a trace of its
timers.`,
		Example: "  timerbench trace import --nginx /var/log/nginx/error.log -o nginx.trace",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, name := cmd.InOrStdin(), "the standard input"
			if nginx != "-" {
				file, err := os.Open(nginx)
				if err != nil {
					return fmt.Errorf("--nginx: %w", err)
				}
				defer func() { _ = file.Close() }() // it is only read
				in, name = file, nginx
			}
			if _, err := atomicfile.Target(out); err != nil {
				return fmt.Errorf("--out %s: %w", out, err)
			}
			var imported bytes.Buffer // nothing is written before the whole log is read
			err := importer.Nginx(in, name, func() (*trace.Writer, error) {
				return trace.NewWriter(&imported, trace.Header{
					Name:        strings.TrimSuffix(filepath.Base(out), filepath.Ext(out)),
					Description: cmp.Or(about, "the timers of nginx"), Tick: time.Millisecond, Sites: true,
				})
			})
			if err == nil {
				err = atomicfile.WriteBytes(out, imported.Bytes())
			}
			if err == nil {
				fmt.Fprintln(cmd.ErrOrStderr(), out)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&nginx, "nginx", "", "`file` of nginx's log; - is the standard input")
	cmd.Flags().StringVar(&about, "about", "", "`text` that describes the trace")
	cmd.Flags().StringVarP(&out, "out", "o", "", "`file` for the trace")
	for _, required := range []string{"nginx", "out"} {
		_ = cmd.MarkFlagRequired(required) // the flag is there
	}
	return cmd
}
