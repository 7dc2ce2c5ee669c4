package replay

// The analyses are the measurements of a run that are not cells: idle ticks, memory and single calls. Each
// analysis runs its structures one after the other. A structure that breaks its contract has no result and is
// reported as a failure.

import (
	"context"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/parallel"
	"github.com/timerbench/timerbench/structures/entry"
)

// Analysis is an analysis as a step of a run. It is plain data.
type Analysis interface {
	Name() string
	Seconds(structures int) float64 // estimated

	// Run measures the structures and adds the results and the failures to out. After an error out is incomplete.
	Run(ctx context.Context, entries []entry.Entry, out *results.Run) error
}

// each adds what measure returns for each structure to list. An error or a panic becomes a failure at where. The error of
// each is that of ctx.
func each[R any](
	ctx context.Context, entries []entry.Entry, where string, list *[]R, out *results.Run, measure func(entry.Entry) (R, error),
) error {
	var errs []error
	for _, e := range entries {
		errs = append(errs, parallel.Try(ctx, func() error {
			of, err := measure(e)
			if err == nil {
				*list = append(*list, of)
			}
			return err
		}))
	}
	out.Failures = append(out.Failures, failures(entries, where, errs)...)
	return ctx.Err()
}

// failures returns a failure for each structure that has an error.
func failures(entries []entry.Entry, where string, errs []error) (list []results.Failure) {
	for i, err := range errs {
		if err != nil {
			list = append(list, results.Failure{Structure: entries[i].Name, Where: where, Reason: err.Error()})
		}
	}
	return list
}
