package workload

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// Flow is the model of most workloads that follow a program. Timers arrive at random (Poisson), each with a delay.
// Some are cancelled or moved before they fire. A class of timers has either a rate of arrivals, which determines its
// population, or a share of a given population, which determines its rate.
type Flow struct {
	Poll    bool     `toml:"poll,omitempty" comment:"pop at every tick, as an event loop may, not only where something happens"`
	WarmUp  Duration `toml:"warm_up,omitempty" comment:"start empty and run this long; left out: start in the steady state"`
	Classes []Class  `toml:"class"`
}

// Class is one class of the timers of a flow.
type Class struct {
	Rate       Rate    `toml:"rate,omitempty" comment:"arrivals a second"`
	Population Share   `toml:"population,omitempty" comment:"share of the population, where that is given instead of rates; left out: all of it"`
	Delay      Delay   `toml:"delay,inline" comment:"from arrival to deadline"`
	Completion *Delay  `toml:"completion,inline,omitempty" comment:"from arrival to the end of what is waited for: a timer that is pending then is cancelled"`
	Shares     *Shares `toml:"shares,inline,omitempty" comment:"what becomes of them; left out: unless completed they fire"`
}

// Shares says which part of the timers of a class is cancelled, moved or periodic. Cancel and Reschedule are shares
// of the timers that arrive. Periodic is a share of the population.
type Shares struct {
	Cancel     Share `toml:"cancel"`     // cancelled before they fire, at a uniformly random part of their delay
	Reschedule Share `toml:"reschedule"` // moved once, at such a moment, to a new delay from there
	Periodic   Share `toml:"periodic"`   // scheduled again with the same delay whenever they fire, for ever
}

// maxWarmUp limits the timers that arrive before the start. They are all in one block, which must fit into memory.
const maxWarmUp = 1e7

// Check returns an error if the classes contradict one another.
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
		sum += float64(cmp.Or(c.Population, 1))
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

// maxDraws limits the mean number of draws that the steady state needs for one timer (chosen).
const maxDraws = 1000

// checkSteadyState returns an error if drawing the timers of the steady state would take
// too long. If the mean delay is far above the time that most timers are pending, nearly
// every draw is rejected, because the timer is no longer pending.
func (c *Class) checkSteadyState() *ParameterError {
	if c.Completion == nil {
		return nil
	}
	f := c.stream(time.Millisecond)
	draws := math.Min(f.delay.Mean, f.completion.Mean) / meanFirstEnd(f.delay, *f.completion)
	if draws <= maxDraws {
		return nil
	}
	return &ParameterError{
		Key: "completion", Value: fmt.Sprintf("%+v", *c.Completion),
		Want: fmt.Sprintf("one that the steady state can be drawn for: of %.1g timers drawn one would be pending, want one of %d at least; a warm_up starts empty instead", draws, maxDraws),
	}
}

// Check returns an error if both completion and shares are given.
func (c *Class) Check() []ParameterError {
	if c.Completion != nil && c.Shares != nil {
		return []ParameterError{{"shares", "a table", "either completion or shares: both say when timers are cancelled"}}
	}
	return nil
}

// Check returns an error if the shares add up to more than 1.
func (s *Shares) Check() []ParameterError {
	if sum := s.Cancel + s.Reschedule; sum > 1 {
		return []ParameterError{{"", fmt.Sprintf("cancel and reschedule of %g together", sum), "at most 1"}}
	}
	return nil
}

// byRate reports whether the classes have rates. Otherwise they have shares of a population.
func (f *Flow) byRate() bool {
	return slices.ContainsFunc(f.Classes, func(c Class) bool { return c.Rate != 0 })
}

// Resident returns the mean number of pending timers that follows from the rates. It is
// 0 if the flow has no rates and takes any number.
func (f *Flow) Resident(tick time.Duration) float64 {
	if !f.byRate() {
		return 0
	}
	n := 0.0
	for _, c := range f.Classes {
		s := c.stream(tick)
		n += float64(c.Rate.perTick(tick) * s.meanPending())
	}
	return n
}

// scaled returns the flow with its rates, and so its population, multiplied by a factor.
// A flow without rates is unchanged.
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
	p := &flow{everyTick: f.Poll, startsEmpty: f.WarmUp > 0, warmUp: f.WarmUp.ticks(tick)}
	for _, c := range f.Classes {
		s := c.stream(tick)
		if c.Rate > 0 {
			s.rate = c.Rate.perTick(tick)
		} else {
			s.population = float64(float64(n) * float64(cmp.Or(c.Population, 1)))
			s.rate = float64(s.population*(1-s.periodic)) / s.meanPending()
		}
		p.streams, p.rates = append(p.streams, s), append(p.rates, s.rate)
		p.rate += s.rate
	}
	return p
}

// stream returns the stream of the class, without its rate and its population.
func (c *Class) stream(tick time.Duration) stream {
	f := stream{delay: c.Delay.dist(tick)}
	if c.Completion != nil {
		f.completion = new(c.Completion.dist(tick))
	}
	if c.Shares != nil {
		f.byShares = true
		f.cancel, f.reschedule, f.periodic = float64(c.Shares.Cancel), float64(c.Shares.Reschedule), float64(c.Shares.Periodic)
	}
	return f
}

type flow struct {
	eventLoop   // when a timer fires, the tick of the event is its period; 0: it is not periodic
	everyTick   bool
	startsEmpty bool            // starts without timers and runs for warmUp
	warmUp      structures.Tick //
	rate        float64         // arrivals per tick, of all streams
	rates       script.Weights  // of the streams
	streams     []stream
}

func (f *flow) Fill(w *script.Writer, r *script.Rand) {
	if f.startsEmpty {
		for w.Now() < f.warmUp {
			f.Step(w, r)
		}
		return
	}
	sum := 0.0 // rounded once, so that the total is right
	for i := range f.streams {
		s := &f.streams[i]
		if s.population > 0 {
			sum += s.population
		} else {
			sum += float64(s.rate * s.meanPending())
		}
		f.startSteady(w, r, s, int(sum+1e-6))
	}
}

// startSteady schedules timers of a stream in the steady state, until n timers of all streams are pending.
func (f *flow) startSteady(w *script.Writer, r *script.Rand, s *stream, n int) {
	for range int(float64(s.population*s.periodic) + 0.5) {
		period := ticks(s.delay.Draw(r))
		f.schedule(w, ticks(float64(r.Float64()*float64(period))), event{tick: period})
	}
	for w.Pending() < n {
		f.arrive(w, 0, s.drawPending(r))
	}
}

// Step advances to the tick of the next event. It pops the timers that are due there,
// then schedules the arrivals, then makes the planned cancels and moves.
func (f *flow) Step(w *script.Writer, r *script.Rand) {
	now := f.nextOrArrival(w, r, f.rate)
	if f.everyTick {
		now = w.Now() + 1
	}
	for _, e := range f.advance(w, now) {
		if e.tick > 0 {
			f.schedule(w, now+e.tick, e)
		}
	}
	for ; f.arrival <= float64(now); f.arrival += r.Exp() / f.rate {
		s := 0
		if len(f.streams) > 1 {
			s = f.rates.Pick(r)
		}
		f.arrive(w, f.arrival, f.streams[s].drawArrival(r))
	}
	f.happen(now, func(e event) { f.interrupt(w, e) })
}

// arrive schedules a timer that arrived within the tick that ends now. Arrivals and
// ends are both rounded up to ticks, which does not change the mean time between them.
func (f *flow) arrive(w *script.Writer, moment float64, l timerPlan) {
	now := w.Now()
	key := f.schedule(w, now+ticks(l.delay), event{})
	if l.endsAt < l.delay {
		e := event{owner: int32(key), kind: int32(w.ValueOf(key))}
		if l.moveBy > 0 {
			e.tick = ticks(l.moveBy)
		}
		f.plan(max(now, structures.Tick(math.Ceil(moment+l.endsAt))), e)
	}
}

// interrupt cancels the timer whose key is the owner of an event, or moves it by its tick. Its
// kind is the value of the timer: the key may be that of a later timer by now, or of none.
func (f *flow) interrupt(w *script.Writer, e event) {
	key := uint32(e.owner)
	switch value := w.ValueOf(key); {
	case int32(value) != e.kind || !w.PendingAs(key, value):
	case e.tick > 0:
		w.Reschedule(key, w.Now()+e.tick)
	default:
		w.Cancel(key)
	}
}

// stream is a class of timers, and says whether and when they are cancelled or moved. Times are in ticks.
type stream struct {
	rate       float64 // arrivals per tick
	population float64 // 0: it follows from the rate
	delay      script.Dist
	completion *script.Dist // nil: none

	byShares                     bool // the shares below apply
	cancel, reschedule, periodic float64
}

// timerPlan says what will happen to a timer, in ticks from now.
type timerPlan struct {
	delay  float64 // when it is due
	endsAt float64 // when it is cancelled or moved; +Inf: never
	moveBy float64 // by how much it is moved then; 0: it is cancelled
}

func (f *stream) drawArrival(r *script.Rand) timerPlan {
	l := timerPlan{delay: f.delay.Draw(r), endsAt: math.Inf(1)}
	switch {
	case f.completion != nil:
		l.endsAt = f.completion.Draw(r)
	case f.byShares:
		u := r.Float64()
		if u < f.cancel+f.reschedule {
			l.endsAt = float64(r.Float64() * l.delay)
		}
		if u >= f.cancel && u < f.cancel+f.reschedule {
			l.moveBy = f.delay.Draw(r)
		}
	}
	return l
}

// meanPending returns the mean time that a timer is pending. With shares it is, in units of the mean delay, 1/2 for a
// timer that is cancelled, 1/2 + 1 for one that is moved, and 1 otherwise.
func (f *stream) meanPending() float64 {
	if f.completion != nil {
		return meanFirstEnd(f.delay, *f.completion)
	}
	return float64((1 - f.cancel/2 + f.reschedule/2) * f.delay.Mean)
}

// meanFirstEnd estimates the mean of the earlier of two ends, which has no formula for most pairs of distributions. The
// estimate is deterministic and accurate to about 0.5 %.
func meanFirstEnd(a, b script.Dist) float64 {
	const draws = 100_000
	r, sum := script.NewRand(1, 1), 0.0
	for range draws {
		sum += math.Min(a.Draw(r), b.Draw(r))
	}
	return sum / draws
}

// drawPending draws the remaining plan of a timer that is pending at a random moment in the steady state.
func (f *stream) drawPending(r *script.Rand) timerPlan {
	if f.completion != nil {
		return f.drawPendingByRejection(r)
	}
	// Mean times, in units of the mean delay: before an interruption, and with no interruption to come.
	before, after := (f.cancel+f.reschedule)/2, 1-f.cancel
	if !f.byShares || float64(r.Float64()*(before+after)) >= before {
		return timerPlan{delay: script.Residual(f.delay, r), endsAt: math.Inf(1)}
	}
	// Both the delay and the part of it at which the interruption comes are
	// length-biased; the density of that part is 2u.
	d := f.delay.DrawBiased(r)
	interrupt := float64(d * math.Sqrt(r.Float64()))
	age := float64(r.Float64() * interrupt)
	l := timerPlan{delay: d - age, endsAt: interrupt - age}
	if r.Float64()*(f.cancel+f.reschedule) >= f.cancel {
		l.moveBy = f.delay.Draw(r)
	}
	return l
}

// drawPendingByRejection draws a pending timer of a class with completions. It draws
// the remainder of the end with the shorter mean, deadline or completion, and rejects
// timers whose other end has passed. This is exact, because the two are independent.
func (f *stream) drawPendingByRejection(r *script.Rand) timerPlan {
	short, long := f.delay, *f.completion
	swap := long.Mean < short.Mean
	if swap {
		short, long = long, short
	}
	for {
		end := short.DrawBiased(r)
		age := float64(r.Float64() * end)
		other := long.Draw(r)
		if other <= age {
			continue
		}
		l := timerPlan{delay: end - age, endsAt: other - age}
		if swap {
			l.delay, l.endsAt = l.endsAt, l.delay
		}
		return l
	}
}
