package workload

import (
	"time"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/script"
)

// Reschedule moves random timers to a new deadline, later or earlier. It never
// moves the clock.
type Reschedule struct {
	Delay Delay `toml:"delay,inline" comment:"of each timer, from now, when it is moved"`
	Burst Count `toml:"burst" comment:"moves that come together, but at most a tenth of the population"`
}

func newReschedule(delay Delay) Workload {
	return Workload{
		Name:     "reschedule",
		Category: Synthetic,
		Summary:  "move a random timer to a new deadline",
		Source:   "chosen; deadlines of connections are moved like this at each message",
		Tick:     millisecond,
		Model:    &Reschedule{Delay: delay, Burst: defaultBurst},
	}
}

// New returns the process.
func (c *Reschedule) New(n int, tick time.Duration) script.Process {
	return &rescheduling{n, burst(n, c.Burst), c.Delay.dist(tick)}
}

type rescheduling struct {
	n, burst int
	delay    dist.Dist
}

func (c *rescheduling) Fill(w *script.Writer, r *script.Rand) { fillFromDelays(w, r, c.n, c.delay) }

func (c *rescheduling) Step(w *script.Writer, r *script.Rand) {
	for range c.burst {
		w.Reschedule(w.AnyPending(r), w.Now()+ticks(c.delay.Draw(r)))
	}
}
