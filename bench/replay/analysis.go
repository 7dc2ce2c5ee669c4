package replay

// The analyses are the measurements of a run that are not cells: idle wake-ups, memory and single calls. Each
// analysis runs its structures one after the other. A structure that breaks its contract has no result and is
// reported as a failure.

import (
	"context"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/structures/entry"
)

// each calls measure for each structure. An error or a panic becomes a failure at where. The error of each is
// that of ctx.
func each[R any](
	ctx context.Context, entries []entry.Entry, where string, measure func(entry.Entry) (R, error),
) (out []R, failed []results.Failure, err error) {
	for _, e := range entries {
		var of R
		err := stats.Try(ctx, func() (err error) {
			of, err = measure(e)
			return err
		})
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil:
			failed = append(failed, results.Failure{Structure: e.Name, Where: where, Reason: err.Error()})
		default:
			out = append(out, of)
		}
	}
	return out, failed, nil
}

// Analysis is an analysis as a step of a run. It is plain data.
type Analysis interface {
	Name() string
	Seconds(structures int) float64 // estimated

	// Add measures the structures and adds the results and the failures to out.
	Add(ctx context.Context, entries []entry.Entry, out *results.Run) error
}

// add returns a function that adds the results of an analysis to list, a field of out.
func add[R any](list *[]R, out *results.Run) func([]R, []results.Failure, error) error {
	return func(found []R, failed []results.Failure, err error) error {
		*list = append(*list, found...)
		out.Failures = append(out.Failures, failed...)
		return err
	}
}
