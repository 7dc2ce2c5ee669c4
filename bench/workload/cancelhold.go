package workload

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/script"
)

// CancelHold is the hold model with cancels. When a timer fires, random timers are
// cancelled, so that the given share is cancelled instead of firing. Each timer that
// fires or is cancelled is replaced by a new one, so the population is constant.
type CancelHold struct {
	Delay      Delay `toml:"delay,inline" comment:"of each timer"`
	Cancel     Share `toml:"cancel,omitempty" comment:"of the timers, instead of firing"`
	Reschedule Share `toml:"reschedule,omitempty" comment:"moves of a random timer, for each that fires or is cancelled"`
}

// Check makes sure that some timers fire.
func (m *CancelHold) Check() []ParameterError {
	if m.Cancel < 1 {
		return nil
	}
	return []ParameterError{{"cancel", fmt.Sprint(m.Cancel), "a share below 1, as time goes on only when timers fire"}}
}

// newCancelHold has exponential delays, which are memoryless: cancelling a random timer
// does not change the distribution of the others.
func newCancelHold(cancelPercent int) Workload {
	return Workload{
		Name:     fmt.Sprintf("cancel-hold-%d", cancelPercent),
		Category: Synthetic,
		Summary:  fmt.Sprintf("hold, but %d %% are cancelled before they fire, and 5 %% are moved", cancelPercent),
		Source:   "chosen, on the hold model; mean delay of 30,000 ticks chosen",
		Tick:     millisecond,
		Extra:    true,
		Model: &CancelHold{
			Delay:      delayOf("exponential"),
			Cancel:     Share(cancelPercent) / 100,
			Reschedule: 0.05,
		},
	}
}

// New returns the process with n timers.
func (m *CancelHold) New(n int, tick time.Duration) script.Process {
	return &cancelHold{n, m.Delay.dist(tick), float64(m.Cancel), float64(m.Reschedule)}
}

type cancelHold struct {
	n                  int
	delay              dist.Dist
	cancel, reschedule float64
}

func (h *cancelHold) Fill(w *script.Writer, r *script.Rand) { fillFromDelays(w, r, h.n, h.delay) }

func (h *cancelHold) Step(w *script.Writer, r *script.Rand) {
	at, _ := w.NextDeadline()
	for range w.Advance(at) {
		h.replace(w, r)
		for r.Float64() < h.cancel {
			w.Cancel(w.AnyPending(r))
			h.replace(w, r)
		}
	}
}

// replace schedules a new timer for one that has fired or was cancelled, and moves a
// random timer with the given probability.
func (h *cancelHold) replace(w *script.Writer, r *script.Rand) {
	w.Schedule(w.Now() + ticks(h.delay.Draw(r)))
	if r.Float64() < h.reschedule {
		w.Reschedule(w.AnyPending(r), w.Now()+ticks(h.delay.Draw(r)))
	}
}
