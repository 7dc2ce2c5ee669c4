package schedtest_test

import (
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// In its long form this test passes half a million dead entries in each structure that cancels lazily.
func TestManyTimersInEveryStructure(t *testing.T) {
	for _, e := range append(catalog.All(), catalog.Intrusive()...) {
		t.Run(e.Name, func(t *testing.T) {
			n := longtest.Scale(t, 2000, 8000, 5<<18)
			if e.Limit > 0 {
				n = min(n, e.Limit)
			}
			var opts []schedtest.Option
			if e.MaxLate != nil {
				opts = append(opts, schedtest.Coarse(e.MaxLate))
			}
			if e.Allocates {
				opts = append(opts, schedtest.Allocates())
			}
			schedtest.Many(t, n, e.New, opts...)
		})
	}
}
