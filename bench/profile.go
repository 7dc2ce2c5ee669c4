package bench

import (
	"cmp"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/entry"
)

// Profile says how much a run measures.
type Profile struct {
	Name   string
	Doc    string
	Trials int // rounds that every contender of a cell gets

	// Budget is the time of a run within which racing adds rounds; 0: no racing.
	Budget time.Duration

	lean       bool     // times lean loops
	workloads  []string // that it runs; empty: all
	calls      []string // of these, those that are not about single calls, and are timed so besides
	extra      bool     // runs the extra workloads as well
	otherSeeds int      // on which workloads of a size of their own are proved besides, untimed
	proveOps   int      // operations of a cell of few timers of which every answer is checked

	sizes      []int // of the workloads that take any number of timers
	gridSizes  []int // of the comparison grid
	mixSizes   []int // of the mixes outside of it, whose point is not the scaling
	callSizes  []int // of the workloads that are about single calls
	maxSize    int   // of the workloads that bring their own; larger ones are scaled down
	maxCycle   int   // of the workloads that go through the whole population again and again
	thirdParty int   // largest size for adapters of third-party containers; 0: any

	// frugalFrom is the size from which cells leave out what was too slow at a tenth of it, and
	// have fewer instances; 0: none. The cells of the grid, which are many, have their own.
	frugalFrom, gridFrugalFrom int

	only []int // sizes of all workloads and of the memory analysis, instead of all others

	idleTicks        int   // virtual time of the idle analysis
	memorySizes      []int // sizes of the memory analysis
	replacedPerTimer int   // timers replaced in it, for each one pending
	maxReplaced      int   // of these, at most
}

// Profiles returns the profiles, the quickest first.
//
// The normal run is chosen to end within five minutes and still to answer every
// question: all structures, all workloads, at all sizes up to 100,000 timers. At a
// million it leaves out what costs most and says least: the containers off the
// shelf, which by then are several times behind whatever they are compared with,
// what took more than two and a half times as long as the best among 100,000 timers, and
// fill-drain, which needs a whole population per trial; and two instances of a structure
// have the rounds that three have otherwise. Of workloads that differ
// in one parameter it runs those that say most, and leaves out the extra ones.
func Profiles() []Profile {
	powers := func(least, most int) (sizes []int) {
		for n := least; n <= most; n *= 10 {
			sizes = append(sizes, n)
		}
		return sizes
	}
	return []Profile{
		{
			Name: "smoke", Doc: "a few seconds: does it all work?",
			Trials: 6, Budget: 30 * time.Second, proveOps: 20_000,
			sizes: []int{1_000}, gridSizes: []int{1_000}, mixSizes: []int{1_000}, callSizes: []int{1_000},
			maxSize: 10_000, maxCycle: 10_000,
			idleTicks: 10_000, memorySizes: []int{10_000}, replacedPerTimer: 10, maxReplaced: 1 << 20,
		},
		{
			Name: "normal", Doc: "at most five minutes: the comparison",
			Trials: 6, Budget: 5 * time.Minute, proveOps: 150_000,
			sizes: powers(10, 1_000_000), gridSizes: powers(100, 1_000_000),
			mixSizes: []int{10_000}, callSizes: []int{30_000},
			maxSize: 1_000_000, maxCycle: 100_000, thirdParty: 100_000,
			frugalFrom: 500_000, gridFrugalFrom: 100_000,
			idleTicks: 200_000, memorySizes: []int{100_000},
			replacedPerTimer: 2, maxReplaced: 1 << 19,
		},
		{
			Name: "lean", Doc: "about five minutes: the operations by loops that do nothing else, " +
				"beside what memory and Go's timers take",
			Trials: 6, proveOps: 150_000, lean: true,
			workloads: []string{
				"start-stop", "churn", "reschedule", "hold", "fill-drain", "cancel-hold-50",
				"avalanche-tick", "avalanche-slot", "avalanche-period-256", "avalanche-period-4096",
			},
			calls: []string{"cancel-hold-50"},
			sizes: []int{1_000_000}, gridSizes: []int{1_000_000},
			mixSizes: []int{1_000_000}, callSizes: []int{1_000_000},
			maxSize: 100_000_000, maxCycle: 100_000_000, thirdParty: 100_000,
			memorySizes: []int{1_000_000}, replacedPerTimer: 2, maxReplaced: 1 << 21,
		},
		{
			Name: "field", Doc: "12 minutes: beside programs of other languages, see docs/external.md",
			Trials: 6, Budget: 12 * time.Minute, proveOps: 150_000,
			workloads: []string{
				"hold", "start-stop", "churn", "reschedule", "fill-drain",
				"kafka-purgatory", "conn-deadline", "http-server", "workunit", "tcp", "pacing", "sip", "reset-earlier",
			},
			sizes:   []int{1_000, 100_000, 1_000_000, 10_000_000},
			maxSize: 100_000, maxCycle: 1_000_000, thirdParty: 100_000, frugalFrom: 10_000_000,
			memorySizes: []int{100_000}, replacedPerTimer: 2, maxReplaced: 1 << 19,
		},
		{
			Name: "full", Doc: "everything, up to ten million timers, named workloads proved on " +
				"three seeds: hours",
			Trials: 6, proveOps: 150_000, extra: true, otherSeeds: 2,
			sizes:     []int{10, 30, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000},
			gridSizes: powers(100, 1_000_000),
			mixSizes:  []int{1_000, 100_000, 1_000_000}, callSizes: powers(100_000, 10_000_000),
			maxSize: 10_000_000, maxCycle: 10_000_000,
			idleTicks: 1_000_000, memorySizes: powers(100_000, 10_000_000),
			replacedPerTimer: 30, maxReplaced: 100_000_000,
		},
	}
}

// FindProfile returns the profile of that name.
func FindProfile(name string) (Profile, bool) {
	i := slices.IndexFunc(Profiles(), func(p Profile) bool { return p.Name == name })
	if i < 0 {
		return Profile{}, false
	}
	return Profiles()[i], true
}

// Workloads returns what the profile runs unless something else is chosen.
func (p Profile) Workloads() []workload.Workload {
	return slices.DeleteFunc(workload.All(), func(w workload.Workload) bool {
		if len(p.workloads) > 0 {
			return !slices.Contains(p.workloads, w.Name)
		}
		return w.Extra && !p.extra
	})
}

// timesCalls reports whether the profile times every call of a workload by itself.
func (p Profile) timesCalls(w workload.Workload) bool {
	return w.Kind().SingleCalls || slices.Contains(p.calls, w.Name)
}

// with returns the profile with sizes and trials of a configuration, if there are any. Sizes that the
// user has given override the limits of the profile, but not those of the structures.
func (p Profile) with(sizes []int, trials int, turns bool) Profile {
	p.Trials = cmp.Or(trials, p.Trials)
	if len(sizes) > 0 {
		p.only, p.memorySizes, p.thirdParty = sizes, sizes, 0
	}
	if len(sizes) > 0 || turns {
		p.frugalFrom, p.gridFrugalFrom = 0, 0
	}
	return p
}

func (p Profile) sizesOf(w workload.Workload) []int {
	switch {
	case len(p.only) > 0:
		return p.only
	case w.Resident > 0:
		return []int{min(w.Resident, p.maxSize)}
	case p.timesCalls(w):
		return p.callSizes
	case w.Grid != nil:
		return p.gridSizes
	case w.Kind().Mixed:
		return p.mixSizes
	case w.Kind().Cyclic:
		return slices.DeleteFunc(slices.Clone(p.sizes), func(n int) bool { return n > p.maxCycle })
	}
	return p.sizes
}

// largestSize returns the largest size of the workloads that run at any size; 0: there is none.
func (p Profile) largestSize() int {
	sizes := p.sizes
	if len(p.only) > 0 {
		sizes = p.only
	}
	return slices.Max(append([]int{0}, sizes...))
}

// headline returns the size at which the first table of the report shows a workload. That is the
// largest size up to [results.TypicalN] at which no structure is left out. If there is none, it is
// the smallest size at which no structure is left out, or the largest size of all.
func (p Profile) headline(w workload.Workload) int {
	sizes := slices.Sorted(slices.Values(p.sizesOf(w)))
	whole := slices.DeleteFunc(slices.Clone(sizes), func(n int) bool { return p.tooSlow(w, n) > 0 })
	switch {
	case len(sizes) == 0:
		return 0
	case len(whole) == 0:
		return sizes[len(sizes)-1]
	}
	i, _ := slices.BinarySearch(whole, results.TypicalN+1)
	return whole[max(0, i-1)]
}

// tooSlow returns the ratio to the best at a tenth of the size above which a cell leaves a structure
// out; 0: the cell leaves none out. See tooSlowIn.
func (p Profile) tooSlow(w workload.Workload, n int) float64 {
	switch {
	case w.Grid == nil && p.frugalFrom > 0 && n >= p.frugalFrom:
		return tooSlow
	case w.Grid != nil && p.gridFrugalFrom > 0 && n >= p.gridFrugalFrom:
		return tooSlowInGrid
	}
	return 0
}

// fit returns the structures that run with n timers.
func (p Profile) fit(all []entry.Entry, n int) []entry.Entry {
	return slices.DeleteFunc(slices.Clone(all), func(e entry.Entry) bool {
		return e.Limit > 0 && n > e.Limit || e.ThirdParty != "" && p.thirdParty > 0 && n > p.thirdParty
	})
}

// roundsPerPass is the number of rounds that one instance replays (chosen). Two rounds show the
// variation between rounds, and more instances are worth more than more rounds.
const roundsPerPass = 2

// roundsPerFrugalPass is roundsPerPass for cells of very many timers, where the fill and the ageing of
// an instance take longer than its rounds (chosen).
const roundsPerFrugalPass = 3

// cell returns a cell of the profile, without a seed.
func (p Profile) cell(w workload.Workload, n int) cell {
	c := cell{
		workload: w, n: n, trials: p.Trials, perPass: roundsPerPass, proveOps: p.proveOps, lean: p.lean,
		tooSlow: p.tooSlow(w, n), headline: n == p.headline(w),
	}
	if w.Resident > 0 {
		c.otherSeeds = p.otherSeeds
	}
	switch {
	case p.lean:
		c.perPass = max(1, p.Trials)
	case c.tooSlow > 0:
		c.perPass = roundsPerFrugalPass
	}
	return c
}

// warmSize returns the number of operations that bring a population of n into the
// cache, as far as it fits: beyond 25,000 timers or so it does not, and a round
// trip through what is hot must do.
func warmSize(n int) int { return min(max(5_000, 2*n), 50_000) }

// proveSize returns the number of operations of which every answer is checked. Of few
// timers each is scheduled often, so that numbers that name the use of a slot come
// round if they have 16 bits: it takes 2^17 operations. Of many timers there are not
// so many operations.
func proveSize(proof, n int) int {
	if n > 1000 {
		return 0
	}
	return proof
}
