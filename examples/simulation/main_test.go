package main

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

// For one place and no waiting, the theory is that of a chain with two states, whose mean and variance are known.
func TestTheoryOfTwoStates(t *testing.T) {
	m := model{arrive: 2, serve: 3, giveUp: 1, limit: 1}
	mean, deviation := m.theory(100)
	if want := math.Sqrt(2. * 2 * 3 / (5 * 5 * 5) / 100); math.Abs(mean-0.4) > 1e-12 || math.Abs(deviation-want) > 1e-12 {
		t.Errorf("%v, %v, want 0.4, %v", mean, deviation, want)
	}
}

// The mean is within four standard errors of the theory, and all structures run the same events.
func TestMeanIsThatOfTheory(t *testing.T) {
	const queues, first, end = 300, 100_000, 400_000
	const ticks = (end - first) * queues
	mean, deviation := call.theory(ticks)
	var want counts
	for i, list := range lists {
		if e, ok := catalog.Find(list.name); !ok || e.Ties != entry.FIFO || e.MaxLate != nil {
			t.Errorf("%s is not an exact structure with FIFO ties", list.name)
		}
		timers := list.make()
		got := run(timers, call, queues, 1, first, end)
		if i == 0 {
			want = got
		}
		if got != want {
			t.Errorf("%s: %+v, but %s has %+v", list.name, got, lists[0].name, want)
		}
		if got.arrived != got.balked+got.served+got.gaveUp+got.present || timers.Len() != queues+got.present {
			t.Errorf("%s: %+v, %d timers: some customers are lost", list.name, got, timers.Len())
		}
	}
	if got := float64(want.area) / ticks; math.Abs(got-mean) > 4*deviation {
		t.Errorf("%.4f customers in a queue, want %.4f ± %.4f", got, mean, 4*deviation)
	}
	if want.gaveUp == 0 || want.balked == 0 {
		t.Errorf("%+v: nobody balked, or nobody gave up", want)
	}
}

// The standard error is that of the simulation: over 40 seeds, the mean square of the deviations is about one.
func TestDeviationsOfSeeds(t *testing.T) {
	const queues, first, end, seeds = 20, 100_000, 300_000, 40
	mean, deviation := call.theory((end - first) * queues)
	squares := 0.0
	for seed := range uint64(seeds) {
		z := (float64(run(lists[0].make(), call, queues, seed, first, structures.Tick(end)).area)/((end-first)*queues) - mean) / deviation
		squares += z * z / seeds
	}
	if squares < 0.4 || squares > 1.9 { // four standard errors of a mean of squares: 4*sqrt(2/40)
		t.Errorf("the mean square is %.2f", squares)
	}
}
