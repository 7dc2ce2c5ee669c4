package bench

import "github.com/timerbench/timerbench/bench/internal/dist"

// The workloads of this file never move the clock: they show what it costs to
// schedule, cancel and reschedule among n resident timers, and can be run on
// real timers too. What the structures put off until the clock moves (cascades,
// say) they cannot show; the grid does.

// startStop schedules a timer and cancels it, again and again.
type startStop struct {
	n     int
	delay dist.Dist
}

func newStartStop(delay dist.Named) Workload {
	return Workload{
		Name:         "start-stop",
		Summary:      "schedule one, cancel it at once, among n resident timers",
		Source:       "Go's time benchmarks (BenchmarkStartStop), RussellLuo/timingwheel; delays chosen",
		Distribution: delay.Name,
		Tick:         millisecond,
		NothingFires: true,
		New:          func(n int) Process { return &startStop{n, delay.New(meanDelay)} },
	}
}

func (s *startStop) Fill(w *Writer, r *Rand) { fillFromDelays(w, r, s.n, s.delay) }

func (s *startStop) Step(w *Writer, r *Rand) {
	w.Cancel(w.Schedule(w.Now() + ticks(s.delay.Draw(r))))
}

// churn cancels a random timer and schedules another one, in bursts.
type churn struct {
	n     int
	delay dist.Dist
}

func newChurn(delay dist.Named) Workload {
	return Workload{
		Name:         "churn",
		Summary:      "cancel a random timer, schedule another one",
		Source:       "chosen; bursts of up to 32 of a kind, at most a tenth of the population",
		Distribution: delay.Name,
		Tick:         millisecond,
		NothingFires: true,
		New:          func(n int) Process { return &churn{n, delay.New(meanDelay)} },
	}
}

func (c *churn) Fill(w *Writer, r *Rand) { fillFromDelays(w, r, c.n, c.delay) }

func (c *churn) Step(w *Writer, r *Rand) {
	n := burst(c.n)
	for range n {
		w.Cancel(w.AnyPending(r))
	}
	for range n {
		w.Schedule(w.Now() + ticks(c.delay.Draw(r)))
	}
}

// burst is how many operations of a kind come together where a workload is free
// to choose: enough for one reading of the clock to weigh little, few enough to
// leave the population as it is.
func burst(n int) int { return max(1, min(32, n/10)) }

// rescheduling moves random timers to a new deadline, later or earlier.
type rescheduling struct {
	n     int
	delay dist.Dist
}

func newReschedule(delay dist.Named) Workload {
	return Workload{
		Name:         "reschedule",
		Summary:      "move a random timer to a new deadline",
		Source:       "chosen; deadlines of connections are moved like this at each message",
		Distribution: delay.Name,
		Tick:         millisecond,
		Unit:         PerReschedule,
		NothingFires: true,
		New:          func(n int) Process { return &rescheduling{n, delay.New(meanDelay)} },
	}
}

func (c *rescheduling) Fill(w *Writer, r *Rand) { fillFromDelays(w, r, c.n, c.delay) }

func (c *rescheduling) Step(w *Writer, r *Rand) {
	for range burst(c.n) {
		w.Reschedule(w.AnyPending(r), w.Now()+ticks(c.delay.Draw(r)))
	}
}
