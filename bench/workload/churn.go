package workload

import (
	"time"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/script"
)

// Churn cancels a random timer and schedules another one, in bursts of each. It
// never moves the clock.
type Churn struct {
	Delay Delay `toml:"delay,inline" comment:"of each timer"`
	Burst Count `toml:"burst" comment:"operations of a kind that come together, but at most a tenth of the population"`
}

func newChurn(delay Delay) Workload {
	return Workload{
		Name:     "churn",
		Category: Synthetic,
		Summary:  "cancel a random timer, schedule another one",
		Source:   "chosen; bursts of up to 32 of a kind, at most a tenth of the population",
		Tick:     millisecond,
		Model:    &Churn{Delay: delay, Burst: defaultBurst},
	}
}

// New returns the process.
func (c *Churn) New(n int, tick time.Duration) script.Process {
	return &churn{n, burst(n, c.Burst), c.Delay.dist(tick)}
}

type churn struct {
	n, burst int
	delay    dist.Dist
}

func (c *churn) Fill(w *script.Writer, r *script.Rand) { fillFromDelays(w, r, c.n, c.delay) }

func (c *churn) Step(w *script.Writer, r *script.Rand) {
	for range c.burst {
		w.Cancel(w.AnyPending(r))
	}
	for range c.burst {
		w.Schedule(w.Now() + ticks(c.delay.Draw(r)))
	}
}

// defaultBurst is how many operations of a kind come together where a workload is
// free to choose: enough for one reading of the clock to weigh little.
const defaultBurst = 32

// burst bounds bursts, so that they leave a population of n as it is.
func burst(n int, most Count) int { return max(1, min(int(most), n/10)) }
