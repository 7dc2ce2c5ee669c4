// Package analysis measures what the cells of a run do not: idle wake-ups, memory, single
// calls, and the noise of the machine. Each analysis runs its structures one after the other.
// A structure that breaks its contract has no result, and is a failure.
package analysis

import (
	"context"

	"github.com/timerbench/timerbench/bench/internal/turns"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures/catalog"
)

// failures are structures that broke their contract.
type failures []results.Failure

// try measures a structure. If it fails or panics, that is a failure at where. The error is
// that of ctx.
func (f *failures) try(
	ctx context.Context, e catalog.Entry, where string, measure func() error,
) error {
	err := turns.Try(ctx, measure)
	if err != nil && ctx.Err() == nil {
		*f = append(*f, results.Failure{Structure: e.Name, Where: where, Reason: err.Error()})
	}
	return ctx.Err()
}
