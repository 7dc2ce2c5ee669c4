package workload

import (
	"math"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/script"
)

// A flow of completed timers starts in its steady state: what is pending, and what
// fires in the first moments, is what the formulas say, whichever of deadline and
// completion is the shorter.
func TestAFlowStartsInTheSteadyState(t *testing.T) {
	t.Parallel()
	const rate = 20_000.0
	for _, mean := range []float64{0.1, 1, 10} { // of the completion, against a timeout of 1 s
		f := &Flow{Classes: []Class{{
			Rate:       rate,
			Delay:      Delay{Kind: "constant", Mean: Duration(time.Second)},
			Completion: &Delay{Kind: "exponential", Mean: Duration(mean * float64(time.Second))},
		}}}
		outlive := math.Exp(-1 / mean)
		pending := rate * mean * (1 - outlive)
		if got := f.Resident(time.Millisecond); math.Abs(got/pending-1) > 0.01 {
			t.Errorf("completion of mean %g s: Resident() = %.0f, want %.0f", mean, got, pending)
		}
		s := Workload{Name: "test", Tick: time.Millisecond, Model: f}.Script(1, 1)
		fill := s.Fill()
		if got := float64(fill.Want.Pending); math.Abs(got/pending-1) > 0.01 {
			t.Errorf("completion of mean %g s: %.0f pending at first, want %.0f", mean, got, pending)
		}
		b := s.Next(5_000, nil)
		fires := rate * outlive * float64(b.Ticks) / 1000
		if got := float64(len(b.Fires)); math.Abs(got-fires) > 4*math.Sqrt(fires)+1 {
			t.Errorf("completion of mean %g s: %.0f fire in the first %d ms, want %.0f", mean, got, b.Ticks, fires)
		}
	}
}

// Classes keep their shares of a population that is given, and their rates.
func TestClassesOfAFlowKeepTheirShares(t *testing.T) {
	t.Parallel()
	second, minute := Duration(time.Second), Duration(time.Minute)
	f := &Flow{Classes: []Class{
		{Population: 0.25, Delay: Delay{Kind: "uniform", Mean: second}},
		{Population: 0.25, Delay: Delay{Kind: "exponential", Mean: minute}, Completion: &Delay{Kind: "exponential", Mean: second}},
		{Population: 0.5, Delay: Delay{Kind: "constant", Mean: minute}, Shares: &Shares{Periodic: 1}},
	}}
	const n = 10_000
	s := Workload{Name: "test", Tick: time.Millisecond, Model: f}.Script(n, 1)
	if got := s.Fill().Want.Pending; got != n {
		t.Errorf("%d pending at first, want %d", got, n)
	}
	b := s.Next(300_000, nil)
	if math.Abs(b.Resident/n-1) > 0.02 {
		t.Errorf("%.0f pending, want %d", b.Resident, n)
	}
	seconds := float64(b.Ticks) / 1000
	// A quarter lives a second, a quarter 60/61 s, half of them fire once a minute.
	arrivals := (n/4 + n/4*61.0/60) * seconds
	cancelled := float64(b.Count(script.KindCancel))
	if want := n / 4 * seconds; math.Abs(cancelled/want-1) > 0.02 {
		t.Errorf("%.0f cancelled, want %.0f", cancelled, want)
	}
	if got, want := float64(b.Count(script.KindSchedule)), arrivals+n/2*seconds/60; math.Abs(got/want-1) > 0.02 {
		t.Errorf("%.0f scheduled, want %.0f", got, want)
	}
}

func TestFiguresAreMeasured(t *testing.T) {
	t.Parallel()
	hold, _ := Find("hold")
	churn, _ := Find("churn")
	kafka, _ := Find("kafka-purgatory")
	f := MeasureFigures([]Workload{hold, churn, kafka}, 500, 1000)
	near := func(got, want float64) bool { return math.Abs(got/want-1) < 0.02 }
	if f[0].N != 500 || !near(f[0].Resident, 500) || f[0].CancelShare != 0 || !near(f[0].Rate, 2*500/30.0) {
		t.Errorf("hold: %+v, want 500 timers of 30 s, each scheduled and fired", f[0])
	}
	if f[1].MoveShare != 0 || f[1].CancelShare != 1 || f[1].Rate != 0 {
		t.Errorf("churn: %+v, want all cancelled and the clock at rest", f[1])
	}
	if f[2].N != 335 || !near(f[2].Resident, 335) || !near(f[2].CancelShare, 0.882) || !near(f[2].Rate, 20_000) {
		t.Errorf("kafka-purgatory: %+v, want 335 pending, 88.2 %% cancelled, 10,000 a second scheduled and done with", f[2])
	}
	if f := MeasureFigures([]Workload{kafka}, 500, 100)[0]; f.N != 100 || math.Abs(f.Resident/100-1) > 0.05 {
		t.Errorf("kafka-purgatory with at most 100: %+v", f)
	}
}
