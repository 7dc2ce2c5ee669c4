package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/peers/thw"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

// besides matches the structures of timerbench to compare with.
const besides = `^(wheel|hwheel|quadheap)$`

// theirWorkloads matches workloads with every basic operation, and models of programs with the timers that these
// structures are made for.
const theirWorkloads = `^(hold|start-stop|churn|reschedule|fill-drain|kafka-purgatory|cache-ttl-15|cron-hashed)$`

// structuresOfOthers lists the data structures of other projects.
func structuresOfOthers() []entry.Entry {
	return []entry.Entry{{
		Name: "thw", Family: entry.Wheels,
		Package: "github.com/timerbench/timerbench/peers/thw",
		Summary: "hash wheel of seconds, a map per slot: nats-server",
		Source:  "nats-server v2.15.2, server/thw",
		Costs: entry.Costs{
			Schedule: entry.Cost{Growth: entry.Constant}, Cancel: entry.Cost{Growth: entry.Constant},
			Pop: entry.Cost{Growth: entry.Linear, In: "n/slots", Note: "a tick"},
		},
		Allocates: true, ThirdParty: "github.com/nats-io/nats-server/v2",
		Limit: 10_000,
		New:   func() structures.Scheduler[uint64] { return thw.New[uint64]() },
	}}
}

// measureStructures runs the suite of timerbench on the structures of other projects and some of its own, and writes
// the results to path.
func measureStructures(ctx context.Context, path string, trials int) error {
	cfg := bench.Config{
		Structures: slices.DeleteFunc(catalog.All(), unlike(besides, func(e entry.Entry) string { return e.Name })),
		Workloads:  slices.DeleteFunc(workload.All(), unlike(theirWorkloads, func(w workload.Workload) string { return w.Name })),
		N:          []int{100, 1000, 10_000},
		Trials:     trials,
		Seed:       1,
		Progress: func(p bench.Progress) {
			if p.Name != "" {
				fmt.Fprintf(os.Stderr, "[%d/%d] %s\n", p.Step+1, p.Steps, p.Name)
			}
		},
	}
	cfg.Structures = append(cfg.Structures, structuresOfOthers()...)
	cfg.Profile, _ = bench.FindProfile("normal")
	r, failed := bench.Run(ctx, cfg)
	if err := results.Write(path, r); err != nil {
		return err
	}
	return failed
}

// unlike returns a function that reports whether the name of a value does not match an expression.
func unlike[V any](expression string, name func(V) string) func(V) bool {
	e := regexp.MustCompile(expression)
	return func(v V) bool { return !e.MatchString(name(v)) }
}
