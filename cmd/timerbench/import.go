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
		Short: "Write a trace of the timers of nginx",
		Long: `Read a debug log of nginx and write a trace of its timers. nginx must be built
--with-debug, as in Debian, and have "error_log FILE debug;" in its
configuration.`,
		Example: "  timerbench trace import --nginx /var/log/nginx/error.log -o nginx.trace",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, name := cmd.InOrStdin(), "standard input"
			if nginx != "-" {
				file, err := os.Open(nginx)
				if err != nil {
					return fmt.Errorf("--nginx: %w", err)
				}
				defer func() { _ = file.Close() }() // opened for reading
				in, name = file, nginx
			}
			if err := writable("out", out); err != nil {
				return err
			}
			var imported bytes.Buffer // the file is written only after the whole log is read
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
	cmd.Flags().StringVar(&nginx, "nginx", "", "log `file` of nginx; - is standard input")
	cmd.Flags().StringVar(&about, "about", "", "`text` that describes the trace")
	cmd.Flags().StringVarP(&out, "out", "o", "", "`file` for the trace")
	for _, required := range []string{"nginx", "out"} {
		_ = cmd.MarkFlagRequired(required) // the flag exists
	}
	return cmd
}
