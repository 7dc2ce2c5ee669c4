package whitebox

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// Suite runs the checks of schedtest on the structure of a package. limit is the largest capacity.
func Suite(
	t *testing.T, pkg string, limit int, newScheduler func(capacity int) structures.Scheduler[uint64],
	newHolder func() structures.Scheduler[*schedtest.Payload], opts ...schedtest.Option,
) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return newScheduler(0) }, opts...)
	schedtest.Releases(t, newHolder)
	t.Run("Capacity", func(t *testing.T) { schedtest.Capacity(t, pkg, limit, newScheduler, opts...) })
}
