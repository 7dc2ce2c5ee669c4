// Command measure measures durable timers: how many are stored and fired a second, how
// late they are, what they take of memory and disk, and how long it takes to recover
// them; with the driver and with JetStream's own schedules, on one node and on three.
//
// It writes table.md, rates.svg, lateness.svg and results.json. Servers and workers
// all run in this process.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/timerbench/timerbench/durable"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	out := flag.String("out", "", "the `folder` for what is found")
	many := flag.Int("n", 1_000_000, "timers pending in the first setup")
	only := flag.Int("nodes", 0, "measure only the setups with this many `nodes`: 1 or 3")
	flag.Parse()
	if *out == "" || *many < 1 {
		return fmt.Errorf("-out %q -n %d: want a folder and at least 1 timer", *out, *many)
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	var results []result
	for _, s := range setups(*many) {
		if *only != 0 && s.nodes != *only {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s\n", s)
		r, err := s.measure(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		fmt.Fprintf(os.Stderr, "  %+v\n", r)
		results = append(results, r)
	}
	text, err := json.MarshalIndent(results, "", "\t")
	if err != nil {
		return err
	}
	if err := write(*out, "results.json", append(text, '\n')); err != nil {
		return err
	}
	if err := write(*out, "table.md", table(results)); err != nil {
		return err
	}
	return draw(*out, results)
}

// write replaces a file as a whole.
func write(dir, name string, text []byte) error {
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path+".tmp", text, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}

// setups are what is measured, the one with the many timers first.
func setups(many int) []setup {
	list := []setup{
		{backend: durable.Driver, nodes: 1, workers: 1, pending: many, recovers: true},
		{backend: durable.Driver, nodes: 1, workers: 3},
		{backend: durable.JetStream, nodes: 1, workers: 1},
		{backend: durable.Driver, nodes: 3, workers: 1},
		{backend: durable.Driver, nodes: 3, workers: 3},
		{backend: durable.JetStream, nodes: 3, workers: 1},
	}
	for i := range list {
		list[i].burst, list[i].rate = 30_000, 5000
		if list[i].nodes == 3 {
			list[i].burst, list[i].rate = 10_000, 1000
		}
	}
	return list
}
