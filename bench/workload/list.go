package workload

import (
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/internal/dist"
)

const millisecond = time.Millisecond

// All returns every workload, in the order of the tables: first the synthetic ones,
// then the grid, then those modelled on programs.
func All() []Workload {
	uniform, clustered := delayOf("uniform"), delayOf("clustered")
	list := holds()
	list = append(list,
		newStartStop(uniform),
		newChurn(uniform),
		newReschedule(uniform),
		newFillDrain(uniform),
		newIdle(),
	)
	list = append(list, avalanches()...)
	list = append(list, grid()...)
	list = append(list,
		newPeriodic(clustered),
		newMixed(uniform),
		newAligned(),
		newKafkaPurgatory(),
		newConnDeadline(),
		newConnDeadlineLazy(),
		newWorkUnit(),
		newTCP(),
		newPacing(),
	)
	for _, c := range cacheClusters {
		list = append(list, newCacheTTL(c))
	}
	return append(list,
		newCron(false),
		newCron(true),
		newSIP(),
		newResetEarlier(),
	)
}

// holds returns the hold model with each distribution of Jones 1986, and the hold model
// with cancels. Only the uniform one is not extra.
func holds() []Workload {
	list := []Workload{newHold(delayOf("uniform"))}
	for _, kind := range []string{"exponential", "biased", "triangular", "bimodal"} {
		w := newHold(delayOf(kind))
		w.Name += "-" + kind
		w.Summary += "; " + kind + " increments"
		w.Extra = true
		list = append(list, w)
	}
	for percent := 0; percent <= 50; percent += 10 {
		list = append(list, newCancelHold(percent))
	}
	return list
}

// grid returns the comparison grid: each distribution of delays with each share of
// cancelled timers. Two distributions (one spread out, one in clusters) and three shares
// (0, 50 and 90 %) are not extra.
func grid() []Workload {
	shapes, shares := []string{"uniform", "clustered"}, []int{0, 50, 90}
	var list []Workload
	for _, d := range dist.Grid() {
		for _, percent := range []int{0, 10, 50, 90, 99} {
			w := newGrid(delayOf(d.Name), percent)
			w.Extra = !slices.Contains(shapes, d.Name) || !slices.Contains(shares, percent)
			list = append(list, w)
		}
	}
	return list
}

// Find returns the workload of that name.
func Find(name string) (Workload, bool) {
	for _, w := range All() {
		if w.Name == name {
			return w, true
		}
	}
	return Workload{}, false
}
