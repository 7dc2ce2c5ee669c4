package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func newTrace() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Record what a program does with its timers, and replay it",
		Long: `Record what a program does with its timers, and replay it on any structure.

A program is recorded if it calls trace.FromEnv or trace.TimersFromEnv, of package
github.com/timerbench/timerbench/trace. The package says how, and describes the file.`,
		Example: `  timerbench trace record -o my.trace -- ./myserver --port 8080
  timerbench trace info my.trace
  timerbench trace replay my.trace
  timerbench report`,
	}
	return group(cmd, newTraceRecord(), newTraceInfo(), newTraceReplay(), newTraceMake())
}

// interruptible returns what read returns, or ctx's error if ctx ends before. read
// then goes on until the process ends.
func interruptible[T any](ctx context.Context, read func(path string) (T, error), path string) (T, error) {
	var result T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, err = read(path)
	}()
	select {
	case <-done:
		return result, err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// bytesOf formats a number of bytes.
func bytesOf(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 10_000_000:
		return fmt.Sprintf("%d kB", n/1000)
	}
	return fmt.Sprintf("%d MB", n/1_000_000)
}
