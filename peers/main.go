// Command peers measures timers of other Go projects on the loads of timerbench live, next to package driver and Go's
// own timers. It is a separate module, so timerbench does not depend on these projects.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/machine"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

// peers lists the measured timers.
func peers() []live.Subject {
	return []live.Subject{goZero(goZeroSlots, false), goZero(goZeroSlots, true), natsServer()}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		if _, usage := errors.AsType[usageError](err); usage {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// usageError is the error for a flag with a wrong value.
type usageError struct{ error }

func run(ctx context.Context) (err error) {
	out := flag.String("out", "", "`folder` for the results, without a run (default a new one in out/)")
	length := flag.Duration("for", time.Minute, "how long to measure, about")
	flag.Parse()
	folder, err := store.OpenFolder(*out, "peers", time.Now(), false)
	if err != nil {
		return usageError{fmt.Errorf("-out %w", err)}
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	cfg := live.Default()
	cfg.For = *length
	cfg.Resident = []int{1000, 100_000}
	cfg.Contenders = slices.Concat([]live.Subject{live.Floor(), live.Time()}, live.Drivers(ours()), peers())
	cfg.Progress = func(done, total int, name string) { fmt.Fprintf(os.Stderr, "[%d/%d] %s\n", done+1, total, name) }
	measured, failures, interrupted := live.Run(ctx, cfg)
	if measured == nil {
		return interrupted
	}
	r := results.New(machine.Environment(), results.Parameters{Profile: "peers", Seed: cfg.Seed, N: cfg.Resident})
	r.Complete, r.Live, r.Failures = interrupted == nil, measured, failures
	if err := store.Write(folder.Results(), r); err != nil {
		return err
	}
	folder.Saved = true
	for _, t := range section.LiveTables(measured) {
		fmt.Printf("\n%s\n", t.Text(false))
	}
	for _, f := range failures {
		fmt.Println("\n" + f.Error())
	}
	return interrupted
}

// ours is the structure to compare the peers with, the default of package driver.
func ours() []entry.For[driver.Task] {
	return slices.DeleteFunc(catalog.For[driver.Task](), func(e entry.For[driver.Task]) bool { return e.Name != "auto" })
}
