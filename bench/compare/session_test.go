package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
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

// busy simulates a session on a machine that disturbs every second trial. The figures are
// measured: a trial varies by 3 %, a disturbed trial takes up to twice the time, a process
// varies by 1 %, and one layout in ten is 10 % slower.
func busy(random *rand.Rand, slow float64) (old, new *results.Run) {
	const cells, structures, pairs, rounds, repeat = 4, 4, 16, 96, 4 // the defaults of ab
	side := func(factor float64) *results.Run {
		r := &results.Run{Format: results.Format, Version: results.Version, Complete: true, Parameters: results.Parameters{Session: "x", Repeat: repeat}}
		for c := range cells {
			cell := results.Cell{Workload: "w", N: c, Unit: script.PerLifecycle}
			for s := range structures {
				row := results.Row{Structure: fmt.Sprintf("s%d", s), Role: results.RoleStructure}
				for pair := range pairs {
					place := 0.01 * random.NormFloat64()
					if random.IntN(10) == 0 {
						place += 0.1
					}
					for round := range rounds {
						log := place + 0.2*float64(round%repeat) + 0.03*random.NormFloat64()
						if random.IntN(2) == 0 {
							log += math.Ln2 * random.Float64()
						}
						if s == 0 && c == 0 {
							log += math.Log(factor)
						}
						row.Cost = append(row.Cost, results.Trial{Layout: 1 + pair, Instance: pair, Round: pair*1000 + round, NS: 1e6 * math.Exp(log), Units: 1e4})
					}
				}
				cell.Rows = append(cell.Rows, row)
			}
			r.Cells = append(r.Cells, cell)
		}
		return r
	}
	return side(1), side(slow)
}

func TestASessionOnABusyMachineFindsALoss(t *testing.T) {
	t.Parallel()
	times := longtest.Scale(t, 10, 10, 100)
	found, wrong, wrongOfEqual := 0, 0, 0
	random := newRandom(11)
	options := Options{Alpha: 0.05, MinEffect: 0.01}
	for range times {
		old, new := busy(random, 1.042)
		c := compareRuns(t, old, new, options)
		for i, r := range c.Rows {
			switch {
			case i == 0 && r.Verdict == Slower:
				found++
			case r.Verdict != Same:
				wrong++
			}
		}
		old, new = busy(random, 1)
		if verdicts(compareRuns(t, old, new, options)) != "" {
			wrongOfEqual++
		}
	}
	t.Logf("of %d sessions %d find the loss and %d others; %d of equal builds find one", times, found, wrong, wrongOfEqual)
	if found < times*7/10 || wrong > 1+times/10 || wrongOfEqual > 1+times/10 {
		t.Errorf("of %d sessions %d find the loss and %d others; %d of equal builds find one", times, found, wrong, wrongOfEqual)
	}
}
