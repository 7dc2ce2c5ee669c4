package bench

import "time"

const millisecond = time.Millisecond

// Workloads returns every workload, in the order in which tables show them: the
// synthetic families, the grid, then those that model something.
func Workloads() []Workload {
	uniform, clustered := family("uniform"), family("clustered")
	list := []Workload{
		newHold(uniform),
		newStartStop(uniform),
		newChurn(uniform),
		newReschedule(uniform),
		newFillDrain(uniform),
		newIdle(),
	}
	for _, delay := range []Delay{uniform, clustered} {
		for _, cancelled := range []int{0, 50, 90} {
			list = append(list, newGrid(delay, cancelled))
		}
	}
	return append(list,
		newPeriodic(clustered),
		newMixed(uniform),
		newKafkaPurgatory(),
		newCacheTTL(),
	)
}

// FindWorkload returns the workload of that name.
func FindWorkload(name string) (Workload, bool) {
	for _, w := range Workloads() {
		if w.Name == name {
			return w, true
		}
	}
	return Workload{}, false
}
