package bench

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

func TestReplayForTimesTheReplaysAlone(t *testing.T) {
	w, _ := workload.Find("churn")
	for _, name := range []string{"hwheel", "hwheel-linux"} { // exact and coarse
		e, _ := catalog.Find(name)
		calls := 0
		r, err := ReplayFor(t.Context(), w, 1000, 1, e, 20*time.Millisecond, func(block func()) {
			time.Sleep(time.Millisecond) // not counted
			calls++
			block()
		})
		if err != nil || r.NS < 20e6 || r.Units <= 0 || r.Operations < 1000 || calls == 0 {
			t.Errorf("%s: %+v, %v, %d calls", name, r, err, calls)
		}
	}
	mixed, _ := workload.Find("mixed")
	if _, err := ReplayFor(t.Context(), mixed, 1000, 1, faultyEntry("fires a tick late"), time.Second, func(block func()) { block() }); err == nil || !strings.Contains(err.Error(), "faulty") {
		t.Errorf("a faulty structure: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	e, _ := catalog.Find("hwheel")
	if _, err := ReplayFor(ctx, w, 1000, 1, e, time.Hour, func(block func()) { block(); cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
