//go:build unix

// Command measure measures durable timers: how many are stored and fired per second, how late
// they are, how much memory and disk they take, and how long their recovery takes, on one node and on three.
//
// It writes results.json, and prints the part of docs/durable.md. All servers and workers run in this process.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := flag.String("out", "", "the `folder` for the results")
	flag.Parse()
	if err := measure(ctx, *out); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, out string) error {
	if out == "" {
		return errors.New("-out is missing: want a folder")
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	all := run{Created: time.Now(), Go: runtime.Version(), CPUs: runtime.NumCPU(), CPU: "unknown processor"}
	info, _ := os.ReadFile("/proc/cpuinfo") // on Linux
	if m := regexp.MustCompile(`model name\s*: (.*)`).FindSubmatch(info); m != nil {
		all.CPU = string(m[1])
	}
	for _, s := range []setup{
		{Nodes: 1, Workers: 1, Pending: 1_000_000},
		{Nodes: 1, Workers: 3},
		{Nodes: 3, Workers: 1},
		{Nodes: 3, Workers: 3},
	} {
		s.Burst, s.Rate = 30_000, 5000
		if s.Nodes == 3 {
			s.Burst, s.Rate = 10_000, 1000
		}
		fmt.Fprintln(os.Stderr, s)
		r, err := s.measure(ctx)
		if err != nil {
			return fmt.Errorf("%v: %w", s, err)
		}
		all.Results = append(all.Results, r)
	}
	fmt.Print(all.markdown())
	data, err := json.MarshalIndent(all, "", "\t")
	return errors.Join(err, os.WriteFile(filepath.Join(out, "results.json"), data, 0o644))
}

// run is what a run has measured, and where.
type run struct {
	Created time.Time
	Go, CPU string
	CPUs    int
	Results []result
}

// markdown returns the part of docs/durable.md.
func (a run) markdown() string {
	text := fmt.Sprintf("Measured on %s with %d processors, %s, %s:\n\n", a.CPU, a.CPUs, a.Created.Format("2 January 2006"), a.Go) +
		"| nodes | workers | pending | stored/s | µs each | fired/s | µs each | at timers/s | p50 | p99 | max |\n" +
		"|" + strings.Repeat(" ---: |", 11) + "\n"
	after := ""
	for _, r := range a.Results {
		text += fmt.Sprintf("| %d | %d | %d | %.0f | %.0f | %.0f | %.0f | %d | %s | %s | %s |\n",
			r.Nodes, r.Workers, r.Pending, r.Stored, r.StoredCPU, r.Fired, r.FiredCPU, r.Rate, ms(r.P50), ms(r.P99), ms(r.Max))
		if r.Recovery > 0 {
			after += fmt.Sprintf("\nA million timers, one node: %.0f MB of memory (server and worker), %.0f MB on disk, %.1f s to recover.\n",
				r.Memory, r.Disk, r.Recovery)
		}
	}
	return text + after
}

func ms(x float64) string {
	if x >= 1000 {
		return fmt.Sprintf("%.1f s", x/1000)
	}
	return fmt.Sprintf("%.1f ms", x)
}
