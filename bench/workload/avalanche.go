package workload

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// Avalanche lets all timers come due within a short time, again and again. The clock moves from tick to tick. It is
// about the longest call: the one that redistributes a full slot, or that removes what was cancelled.
//
// Each timer that fires is scheduled again one period later. In the middle of each period a part of the timers is
// cancelled in a row, and as many are scheduled with the same deadlines.
type Avalanche struct {
	Period Duration `toml:"period" comment:"from one deadline of a timer to its next"`
	Spread Duration `toml:"spread,omitempty" comment:"time within which all come due, at most the period; left out: one tick"`
	Cancel Share    `toml:"cancel" comment:"part of the timers that is cancelled and replaced in each period"`
}

// Check returns an error if the timers of a period come due after the next period begins.
func (m *Avalanche) Check() []ParameterError {
	if m.Spread > m.Period {
		return []ParameterError{{"spread", m.Spread.String(), fmt.Sprintf("at most the period, which is %v", m.Period)}}
	}
	return nil
}

// New returns the process.
func (m *Avalanche) New(n int, tick time.Duration) script.Process {
	return &avalanche{n: n, period: m.Period.ticks(tick), spread: m.Spread.ticks(tick), replaced: int(float64(n) * float64(m.Cancel))}
}

type avalanche struct {
	eventLoop      // the tick of the event of a timer is its deadline
	n, replaced    int
	period, spread structures.Tick
}

func (a *avalanche) Fill(w *script.Writer, r *script.Rand) {
	for range a.n {
		a.add(w, w.Now()+a.period+structures.Tick(r.IntN(int(a.spread))))
	}
}

// Step is one tick.
func (a *avalanche) Step(w *script.Writer, r *script.Rand) {
	now := w.Now() + 1
	for range w.Advance(now) {
		a.add(w, now+a.period)
	}
	if now%a.period == a.period/2 {
		a.replace(w, r)
	}
}

func (a *avalanche) replace(w *script.Writer, r *script.Rand) {
	deadlines := make([]structures.Tick, a.replaced)
	for i := range deadlines {
		key := w.AnyPending(r)
		deadlines[i] = a.fires[key].tick
		w.Cancel(key)
	}
	for _, at := range deadlines {
		a.add(w, at)
	}
}

func (a *avalanche) add(w *script.Writer, at structures.Tick) { a.schedule(w, at, event{tick: at}) }
