package checking_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/timerbench/timerbench/structures/internal/checking"
)

// checked is a structure with a broken invariant, or none.
type checked struct{ error }

func (c checked) CheckInvariants() error { return c.error }

func TestChecksReportWhatTheyAreFor(t *testing.T) {
	for name, c := range map[string]struct {
		check func(checking.T)
		want  string
	}{
		"the right panic": {func(r checking.T) { checking.Panics(r, "no", func() { panic("no") }) }, "[]"},
		"another panic":   {func(r checking.T) { checking.Panics(r, "no", func() { panic("yes") }) }, `[panic yes, want "no"]`},
		"no panic":        {func(r checking.T) { checking.Panics(r, "no", func() {}) }, `[panic <nil>, want "no"]`},
		"sound":           {func(r checking.T) { checking.Sound(r, checked{}) }, "[]"},
		"broken":          {func(r checking.T) { checking.Sound(r, checked{errors.New("at zero")}) }, "[at zero]"},
		"up to Fatalf": {func(r checking.T) {
			r.Errorf("one %d", 1)
			r.Fatalf("two")
			r.Errorf("three")
		}, "[one 1 two]"},
	} {
		if got := fmt.Sprint(checking.Record(c.check)); got != c.want {
			t.Errorf("%s: reported %s, want %s", name, got, c.want)
		}
	}
}
