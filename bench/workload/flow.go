package workload

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/script"
)

// Flow is the model behind most workloads that follow a program: timers arrive at
// random (Poisson), each with a delay, and some are interrupted before they fire.
// Each class of timers either arrives at a rate of its own, which leads to a
// population, or makes up a share of a population that is given, which leads to a
// rate.
type Flow struct {
	Poll    bool     `toml:"poll,omitempty" comment:"pop at every tick, as an event loop may, not only where something happens"`
	WarmUp  Duration `toml:"warm_up,omitempty" zero:"no" comment:"start empty and run this long; left out: start in the steady state"`
	Classes []Class  `toml:"class"`
}

// Class is one class of the timers of a flow.
type Class struct {
	Rate       Rate    `toml:"rate,omitempty" zero:"no" comment:"arrivals a second"`
	Population Share   `toml:"population,omitempty" zero:"no" comment:"share of the population, where that is given instead of rates; left out: all of it"`
	Delay      Delay   `toml:"delay,inline" comment:"from arrival to deadline"`
	Completion *Delay  `toml:"completion,inline,omitempty" comment:"from arrival to the end of what is waited for: a timer that is pending then is cancelled"`
	Shares     *Shares `toml:"shares,inline,omitempty" comment:"what becomes of them; left out: unless completed they fire"`
}

// Shares says what becomes of the timers of a class. Cancel and Reschedule are
// shares of the timers that arrive, Periodic is a share of the population.
type Shares struct {
	Cancel     Share `toml:"cancel"`     // cancelled before they fire, at a uniformly random part of their delay
	Reschedule Share `toml:"reschedule"` // moved once, at such a moment, to a new delay from there
	Periodic   Share `toml:"periodic"`   // scheduled again with the same delay whenever they fire, for ever
}

// maxWarmUp is the most timers that may arrive before the start: they are all in
// one block, which has to fit into memory.
const maxWarmUp = 1e7

// Check says whether the classes go together.
func (f *Flow) Check() []ParameterError {
	if len(f.Classes) == 0 {
		return []ParameterError{{"class", "", "at least one class of timers"}}
	}
	byRate := f.byRate()
	sum, arrivals := 0.0, 0.0
	for i, c := range f.Classes {
		switch key := fmt.Sprintf("class[%d]", i); {
		case byRate && c.Rate == 0:
			return []ParameterError{{key + ".rate", "", "a rate, as other classes have one: all have, or none"}}
		case byRate && c.Population != 0:
			return []ParameterError{{key + ".population", fmt.Sprint(c.Population), "a rate or a share of the population, not both"}}
		case byRate && c.Shares != nil && c.Shares.Periodic > 0:
			return []ParameterError{{key + ".shares.periodic", fmt.Sprint(c.Shares.Periodic), "no periodic timers where there is a rate: they do not arrive"}}
		case len(f.Classes) > 1 && !byRate && c.Population == 0:
			return []ParameterError{{key + ".population", "", "the share of the population that this class makes up, or its rate"}}
		}
		sum += float64(c.population())
		arrivals += float64(c.Rate) * time.Duration(f.WarmUp).Seconds()
	}
	for i := range f.Classes {
		if err := f.Classes[i].checkSteadyState(); err != nil && f.WarmUp == 0 {
			err.Key = fmt.Sprintf("class[%d].%s", i, err.Key)
			return []ParameterError{*err}
		}
	}
	if arrivals > maxWarmUp {
		return []ParameterError{{"warm_up", f.WarmUp.String(), fmt.Sprintf("at most %.0e arrivals before the start, these would be %.1e; left out, the steady state comes at once", maxWarmUp, arrivals)}}
	}
	if !byRate && math.Abs(sum-1) > 1e-9 {
		return []ParameterError{{"class", fmt.Sprintf("populations that add up to %.6g", sum), "shares that add up to 1"}}
	}
	return nil
}

// maxRejected is the most draws, on average, that the steady state may take for one
// timer (chosen).
const maxRejected = 1000

// checkSteadyState says whether timers can be drawn as one finds them in the steady
// state. Where the mean delay is far above what most timers last, nearly every draw
// is of a timer that is gone already.
func (c *Class) checkSteadyState() *ParameterError {
	if c.Completion == nil {
		return nil
	}
	f := c.fate(time.Millisecond)
	draws := math.Min(f.delay.Mean(), f.completion.Mean()) / f.meanEarlier()
	if draws <= maxRejected {
		return nil
	}
	return &ParameterError{
		Key: "completion", Value: fmt.Sprintf("%+v", *c.Completion),
		Want: fmt.Sprintf("one that the steady state can be drawn for: of %.1g timers drawn one would be pending, want one of %d at least; a warm_up starts empty instead", draws, maxRejected),
	}
}

// Check says whether the fates of a timer exclude one another.
func (c *Class) Check() []ParameterError {
	if c.Completion != nil && c.Shares != nil {
		return []ParameterError{{"shares", "a table", "either completion or shares: both say when timers are cancelled"}}
	}
	return nil
}

// Check says whether the shares are parts of one whole.
func (s *Shares) Check() []ParameterError {
	if sum := s.Cancel + s.Reschedule; sum > 1 {
		return []ParameterError{{"", fmt.Sprintf("cancel and reschedule of %g together", sum), "at most 1"}}
	}
	return nil
}

// byRate reports whether the classes have rates; they have shares of a population
// otherwise.
func (f *Flow) byRate() bool {
	for _, c := range f.Classes {
		if c.Rate != 0 {
			return true
		}
	}
	return false
}

func (c *Class) population() Share {
	if c.Population == 0 {
		return 1
	}
	return c.Population
}

// Resident returns the mean number of pending timers that the rates lead to; 0
// when the flow takes any number.
func (f *Flow) Resident(tick time.Duration) float64 {
	if !f.byRate() {
		return 0
	}
	n := 0.0
	for _, c := range f.Classes {
		fate := c.fate(tick)
		n += float64(c.Rate.perTick(tick) * fate.meanLife())
	}
	return n
}

// scaled returns the flow with its rates, and so its population, larger by a factor.
// One that has no rates takes any population as it is.
func (f *Flow) scaled(factor float64) *Flow {
	scaled := *f
	scaled.Classes = slices.Clone(f.Classes)
	for i := range scaled.Classes {
		scaled.Classes[i].Rate *= Rate(factor)
	}
	return &scaled
}

// New returns the process.
func (f *Flow) New(n int, tick time.Duration) script.Process {
	p := &flow{poll: f.Poll, empty: f.WarmUp > 0, warmUp: ticks(f.WarmUp.in(tick))}
	for _, c := range f.Classes {
		s := stream{fate: c.fate(tick)}
		if c.Rate > 0 {
			s.rate = c.Rate.perTick(tick)
		} else {
			s.population = float64(float64(n) * float64(c.population()))
			s.rate = float64(s.population*(1-s.periodic)) / s.meanLife()
		}
		p.streams = append(p.streams, s)
		p.rate += s.rate
	}
	return p
}

// fate returns what becomes of the timers of the class, in ticks.
func (c *Class) fate(tick time.Duration) fate {
	f := fate{delay: c.Delay.dist(tick)}
	if c.Completion != nil {
		f.completion = c.Completion.dist(tick)
	}
	if c.Shares != nil {
		f.drawn = true
		f.cancel, f.reschedule, f.periodic = float64(c.Shares.Cancel), float64(c.Shares.Reschedule), float64(c.Shares.Periodic)
	}
	return f
}
