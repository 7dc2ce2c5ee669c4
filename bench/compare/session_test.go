package compare

import (
	"math"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/longtest"
)

func TestAnInstanceCountsByItsFastestRepetitions(t *testing.T) {
	t.Parallel()
	var samples []stats.Sample
	in := make(map[int]bool)
	add := func(instance, round int, value float64) {
		samples = append(samples, stats.Sample{Layout: 1 + instance%2, Instance: instance, Round: round, Value: value})
		in[round] = true
	}
	// The fastest of the four rounds with remainder 0 is 2. The two fastest of the five
	// rounds with remainder 1 are 7 and 7.
	for i, v := range []float64{3, 9, 2, 8, 90, 7, 4, 7, 900, 70} {
		add(0, i, v)
	}
	samples[8].Value = -1 // 900 is not usable
	add(5, 100, 11)
	add(5, 102, 10)
	add(5, 104, 1) // not on the other side
	in[104] = false
	got := condense(samples, in, 2)
	want := []stats.Sample{
		{Layout: 1, Instance: 0, Round: 0, Value: math.Sqrt(2 * 7)},
		{Layout: 2, Instance: 5, Round: 5, Value: 10},
	}
	close := func(a, b stats.Sample) bool {
		x, y := a.Value, b.Value
		a.Value, b.Value = 0, 0
		return a == b && math.Abs(x-y) < 1e-9
	}
	if !slices.EqualFunc(got, want, close) {
		t.Errorf("%+v, want %+v", got, want)
	}
	// Without repetitions all rounds count equally.
	if got := condense(samples[10:12], in, 0); len(got) != 1 || math.Abs(got[0].Value-math.Sqrt(110)) > 1e-9 {
		t.Errorf("%+v, want the mean of 10 and 11", got)
	}
	a, b := inSession(samples[10:], samples[11:12], 2)
	if len(a) != 1 || len(b) != 1 || a[0].Value != b[0].Value {
		t.Errorf("%+v and %+v, want the one round that both have", a, b)
	}
}

// The figures are measured: a trial varies by 3 %, a disturbed trial takes up to twice the time, and a process varies by 1 %.
// The numbers are the defaults of ab.
var busy = model{
	cells: 4, structures: 4, instances: 16, rounds: 96, noise: 0.03, placement: 0.01, busy: true, session: "x", repeat: Ages,
	only: func(structure string) bool { return structure != "null" && structure != "s0-control" },
}

func TestASessionOnABusyMachineFindsALoss(t *testing.T) {
	t.Parallel()
	times := longtest.Scale(t, 10, 10, 100)
	found, wrong, wrongOfEqual := 0, 0, 0
	random := newRandom(11)
	options := Options{Alpha: 0.05, MinEffect: 0.01}
	for range times {
		slow := busy.with(func(m *model) { m.slow = map[string]float64{"s0": 1.042} }).simulate(random)
		old, new := busy.simulate(random), busy.simulate(random)
		new.Cells[0] = slow.Cells[0]
		c := compareRuns(t, old, new, options)
		for i, r := range c.Rows {
			switch {
			case i == 0 && r.Verdict == Slower:
				found++
			case r.Verdict != Same:
				wrong++
			}
		}
		if verdicts(compareRuns(t, busy.simulate(random), busy.simulate(random), options)) != "" {
			wrongOfEqual++
		}
	}
	t.Logf("of %d sessions %d find the loss and %d others; %d of equal builds find one", times, found, wrong, wrongOfEqual)
	if found < times*7/10 || wrong > 1+times/10 || wrongOfEqual > 1+times/10 {
		t.Errorf("of %d sessions %d find the loss and %d others; %d of equal builds find one", times, found, wrong, wrongOfEqual)
	}
}
