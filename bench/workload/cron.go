package workload

import (
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// Cron models periodic jobs: each is scheduled again with its own period whenever it fires. n timers are n jobs.
type Cron struct {
	Hashed  bool     `toml:"hashed,omitempty" comment:"each job has a phase of its own; otherwise all fire on round times"`
	Periods []Period `toml:"period" comment:"how often some of the jobs run"`
}

// Period is how often a job runs, and how many jobs do so.
type Period struct {
	Every  Duration `toml:"every"`
	Weight Weight   `toml:"weight"`
}

// Check returns an error if there is no period.
func (m *Cron) Check() []ParameterError {
	if len(m.Periods) == 0 {
		return []ParameterError{{"period", "", "at least one period"}}
	}
	return nil
}

// New returns the process with n jobs.
func (m *Cron) New(n int, tick time.Duration) script.Process {
	p := &cron{n: n, hashed: m.Hashed}
	for _, period := range m.Periods {
		p.weights = append(p.weights, float64(period.Weight))
		p.periods = append(p.periods, period.Every.ticks(tick))
	}
	return p
}

type cron struct {
	eventLoop // the tick of an event is the period of the job
	n         int
	hashed    bool
	periods   []structures.Tick
	weights   script.Weights
}

func (p *cron) Fill(w *script.Writer, r *script.Rand) {
	for range p.n {
		period := p.periods[p.weights.Pick(r)]
		first := period
		if p.hashed {
			first = 1 + structures.Tick(r.IntN(int(period)))
		}
		p.schedule(w, w.Now()+first, event{tick: period})
	}
}

func (p *cron) Step(w *script.Writer, _ *script.Rand) {
	p.nextTick(w, func(e event) { p.schedule(w, w.Now()+e.tick, e) })
}
