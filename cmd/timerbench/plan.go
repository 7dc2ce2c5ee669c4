package main

import (
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/timerbench/timerbench/bench"
)

// perShard is the longest time that a shard of a run should take.
const perShard = 30 * time.Minute

// printPlan says what a run will do.
func printPlan(out io.Writer, cfg bench.Config) {
	p := bench.PlanRun(cfg, perShard.Seconds())
	t := newTable("step", "structures", "rounds", "about")
	for _, s := range p.Steps {
		var rounds any = "–"
		if s.Rounds > 0 {
			rounds = s.Rounds
		}
		t.AppendRow(table.Row{s.Name, s.Structures, rounds, about(s.Seconds)})
	}
	fmt.Fprintln(out, aligned(t, 2, 4))
	fmt.Fprintf(out, "%d steps, about %s on a machine like that of the estimate: 2 cores at 2.5 GHz.\n", len(p.Steps), about(p.Seconds))
	if cfg.Budget > 0 {
		fmt.Fprintf(out, "Racing adds rounds to open cells until %s have passed since the start.\n", cfg.Budget)
	}
	if cfg.Shard.Of > 1 {
		return
	}
	if p.Shards < 2 {
		fmt.Fprintf(out, "1 shard takes at most %s.\n", about(perShard.Seconds()))
		return
	}
	fmt.Fprintf(out, "%d shards (--shard 1/%d to --shard %d/%d) take about %s each at most.\n", p.Shards, p.Shards, p.Shards, p.Shards, about(p.Slowest))
}

// about rounds an estimate to what it is worth.
func about(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Second:
		return fmt.Sprintf("%.1f s", seconds)
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", seconds)
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
