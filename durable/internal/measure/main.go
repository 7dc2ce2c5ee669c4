//go:build unix

// Command measure measures durable timers: how many are stored and fired per second, how late
// they are, how much memory and disk they take, and how long their recovery takes, on one node and on three.
//
// It writes table.md. All servers and workers run in this process.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"text/tabwriter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := flag.String("out", "", "the `folder` for the results")
	flag.Parse()
	if err := run(ctx, *out); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out string) error {
	if out == "" {
		return errors.New("-out is missing: want a folder")
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var results []result
	for _, s := range []setup{
		{nodes: 1, workers: 1, pending: 1_000_000},
		{nodes: 1, workers: 3},
		{nodes: 3, workers: 1},
		{nodes: 3, workers: 3},
	} {
		s.burst, s.rate = 30_000, 5000
		if s.nodes == 3 {
			s.burst, s.rate = 10_000, 1000
		}
		fmt.Fprintln(os.Stderr, s)
		r, err := s.measure(ctx)
		if err != nil {
			return fmt.Errorf("%v: %w", s, err)
		}
		results = append(results, r)
	}
	return os.WriteFile(filepath.Join(out, "table.md"), table(results), 0o644)
}

// table returns the results as Markdown.
func table(results []result) []byte {
	var b bytes.Buffer
	// Debug draws lines between the cells.
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', tabwriter.AlignRight|tabwriter.Debug)
	fmt.Fprintln(w, "nodes\t workers\t pending\t stored/s\t µs each\t fired/s\t µs each\t at timers/s\t p50\t p99\t max\t")
	fmt.Fprintln(w, "---:\t ---:\t ---:\t ---:\t ---:\t ---:\t ---:\t ---:\t ---:\t ---:\t ---:\t")
	for _, r := range results {
		fmt.Fprintf(w, "%d\t %d\t %d\t %.0f\t %.0f\t %.0f\t %.0f\t %d\t %s\t %s\t %s\t\n",
			r.nodes, r.workers, r.pending, r.stored, r.storedCPU, r.fired, r.firedCPU, r.rate,
			ms(r.p50), ms(r.p99), ms(r.max))
	}
	_ = w.Flush() // to memory
	for _, r := range results {
		if r.recovery > 0 {
			fmt.Fprintf(&b, "\nA million timers, one node: %.0f MB of memory (server and worker), "+
				"%.0f MB on disk, %.1f s to recover.\n", r.memory, r.disk, r.recovery)
		}
	}
	return b.Bytes()
}

func ms(x float64) string {
	if x >= 1000 {
		return fmt.Sprintf("%.1f s", x/1000)
	}
	return fmt.Sprintf("%.1f ms", x)
}
