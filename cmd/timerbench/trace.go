package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newTrace() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Record what a program does with its timers, and replay it on any structure",
		Long: `Record what a program does with its timers, and replay it on any structure.

A program is recorded if it hands its structure to trace.FromEnv, of package
github.com/timerbench/timerbench/bench/trace, which says how and describes the file.`,
		Example: `  timerbench trace record -o my.trace -- ./myserver --port 8080
  timerbench trace info my.trace
  timerbench trace replay my.trace
  timerbench report`,
	}
	return group(cmd, newTraceRecord(), newTraceInfo(), newTraceReplay(), newTraceMake())
}

// bytesOf writes a size as people do.
func bytesOf(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 10_000_000:
		return fmt.Sprintf("%d kB", n/1000)
	}
	return fmt.Sprintf("%d MB", n/1_000_000)
}
