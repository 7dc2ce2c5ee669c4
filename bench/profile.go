package bench

import (
	"cmp"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/entry"
)

// Profile determines how much a run measures.
type Profile struct {
	Name   string
	Doc    string
	Trials int // rounds of each contender of a cell

	Budget Budget // the default of Config.Budget for the command

	workloads  []string // names; empty: all
	calls      []string // more workloads whose single calls are timed
	extra      bool     // runs the extra workloads too
	otherSeeds int      // more seeds, on which workloads with their own size are proved without timing
	proveOps   int      // operations with checked answers in a cell of few timers

	sizes      []int // of the workloads that run at any size
	gridSizes  []int // of the comparison grid
	mixSizes   []int // of the other mixes
	callSizes  []int // of the workloads with timed single calls
	maxSize    int   // of the workloads with their own size; larger ones are scaled down
	maxCycle   int   // of the cyclic workloads
	thirdParty int   // largest size for adapters of third-party containers; 0: any

	// Cells of frugalFrom timers or more leave out structures that were too slow at a tenth of the
	// size, and have fewer instances; 0: no cell. gridFrugalFrom is the same for the grid.
	frugalFrom, gridFrugalFrom int

	fewFrom int // cells of that many timers or more have few contenders, see [cell.nearest]; 0: no cell

	only []int // sizes of all workloads and of the memory analysis, instead of all others

	// debts are sizes at which the growth of debt is measured, with the workloads, at which it is measured even if sizes
	// lacks the size; without any, those that the profile measures there. allDebts measures it in all cells.
	// A budget measures them after the first passes, with debtsFirst after the first pass of the cell.
	debts                map[int][]string
	allDebts, debtsFirst bool

	idleTicks        int   // virtual time of the idle analysis
	idleSizes        []int // of the analysis of idle ticks
	memorySizes      []int // of the memory analysis
	replacedPerTimer int   // timers that the memory analysis replaces, per pending timer
	maxReplaced      int   // the most timers that it replaces
}

// Profiles returns the profiles, the quickest first.
//
// The normal profile ends within five minutes and answers every question: all structures and all
// workloads, at all sizes up to 100,000 timers. At a million timers it leaves out third-party
// containers, which are several times slower by then, structures that took twice as long as the best
// among 100,000 timers, all but nine contenders, and fill-drain, which needs a whole population for each trial. The normal
// profile also leaves out the extra workloads, which differ from others in one parameter.
func Profiles() []Profile {
	powers := func(least, most int) (sizes []int) {
		for n := least; n <= most; n *= 10 {
			sizes = append(sizes, n)
		}
		return sizes
	}
	return []Profile{
		{
			Name: "smoke", Doc: "three quarters of a minute: does everything work?",
			Trials: 6, Budget: Budget{Limit: 45 * time.Second}, proveOps: 20_000,
			sizes: []int{1_000}, gridSizes: []int{1_000}, mixSizes: []int{1_000}, callSizes: []int{1_000},
			maxSize: 10_000, maxCycle: 10_000, debts: map[int][]string{10_000: {"churn", "reschedule"}}, debtsFirst: true,
			idleTicks: 10_000, idleSizes: []int{10, 1_000}, memorySizes: []int{10_000}, replacedPerTimer: 10, maxReplaced: 1 << 20,
		},
		{
			Name: "normal", Doc: "at most five minutes: the comparison",
			Trials: 6, Budget: Budget{Limit: 5 * time.Minute}, proveOps: 150_000,
			sizes: powers(10, 1_000_000), gridSizes: powers(100, 1_000_000),
			mixSizes: []int{10_000}, callSizes: []int{30_000},
			maxSize: 1_000_000, maxCycle: 100_000, thirdParty: 100_000,
			frugalFrom: 500_000, gridFrugalFrom: 100_000,
			fewFrom:   1_000_000,
			debts:     map[int][]string{10_000: nil, 100_000: {"churn", "reschedule"}},
			idleTicks: 200_000, idleSizes: powers(10, 100_000), memorySizes: []int{100_000},
			replacedPerTimer: 2, maxReplaced: 1 << 19,
		},
		{
			Name: "scale", Doc: "a quarter of an hour: four workloads, from a hundred to ten million timers",
			Trials: 6, proveOps: 150_000,
			workloads: []string{"hold", "churn", "start-stop", "cancel-hold-50"}, calls: []string{"cancel-hold-50"},
			only: powers(100, 10_000_000), memorySizes: powers(100, 10_000_000),
			replacedPerTimer: 2, maxReplaced: 1 << 21,
		},
		{
			Name: "field", Doc: "12 minutes: with programs of other languages, see docs/external.md",
			Trials: 6, Budget: Budget{Limit: 12 * time.Minute}, proveOps: 150_000,
			workloads: []string{
				"hold", "start-stop", "churn", "reschedule", "fill-drain",
				"kafka-purgatory", "conn-deadline", "http-server", "workunit", "tcp", "pacing", "sip", "reset-earlier",
			},
			debts:   map[int][]string{100_000: {"churn", "reschedule"}},
			sizes:   []int{1_000, 100_000, 1_000_000, 10_000_000},
			maxSize: 100_000, maxCycle: 1_000_000, thirdParty: 100_000, frugalFrom: 10_000_000,
			memorySizes: []int{100_000}, replacedPerTimer: 2, maxReplaced: 1 << 19,
		},
		{
			Name: "ttl", Doc: "a quarter of an hour: TTLs of a cache with a million and ten million entries",
			Trials: 6, proveOps: 150_000,
			workloads: []string{"ttl-cache", "avalanche-slot"}, calls: []string{"ttl-cache"},
			only: []int{1_000_000, 10_000_000}, replacedPerTimer: 2, maxReplaced: 1 << 19,
		},
		{
			Name: "full", Doc: "hours: everything, up to ten million timers, and workloads with " +
				"their own size proved on three seeds",
			Trials: 6, proveOps: 150_000, extra: true, otherSeeds: 2,
			sizes:     []int{10, 30, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000},
			gridSizes: powers(100, 1_000_000),
			mixSizes:  []int{1_000, 100_000, 1_000_000}, callSizes: powers(100_000, 10_000_000),
			maxSize: 10_000_000, maxCycle: 10_000_000, allDebts: true,
			idleTicks: 1_000_000, idleSizes: powers(10, 100_000), memorySizes: powers(100_000, 10_000_000),
			replacedPerTimer: 30, maxReplaced: 100_000_000,
		},
	}
}

// FindProfile returns the profile with a name.
func FindProfile(name string) (Profile, bool) {
	i := slices.IndexFunc(Profiles(), func(p Profile) bool { return p.Name == name })
	if i < 0 {
		return Profile{}, false
	}
	return Profiles()[i], true
}

// Workloads returns the workloads of the profile.
func (p Profile) Workloads() []workload.Workload {
	return slices.DeleteFunc(workload.All(), func(w workload.Workload) bool {
		if len(p.workloads) > 0 {
			return !slices.Contains(p.workloads, w.Name)
		}
		return w.Extra && !p.extra
	})
}

// timesCalls reports whether the profile times the single calls of a workload.
func (p Profile) timesCalls(w workload.Workload) bool {
	return w.Kind().SingleCalls || slices.Contains(p.calls, w.Name)
}

// with returns the profile with the sizes and trials of a configuration, if there are any. Such sizes
// override the limits of the profile, but not the limits of the structures.
func (p Profile) with(sizes []int, trials int, turns bool) Profile {
	p.Trials = cmp.Or(trials, p.Trials)
	if len(sizes) > 0 {
		p.only, p.memorySizes, p.thirdParty = sizes, sizes, 0
	}
	if len(sizes) > 0 || turns {
		p.frugalFrom, p.gridFrugalFrom, p.fewFrom = 0, 0, 0
	}
	return p
}

func (p Profile) sizesOf(w workload.Workload) []int {
	switch {
	case len(p.only) > 0:
		return p.only
	case w.Resident > 0:
		own := min(w.Resident, p.maxSize)
		return append(slices.DeleteFunc(slices.Clone(w.Sizes), func(n int) bool { return n >= own }), own)
	case p.timesCalls(w):
		return p.callSizes
	case w.Grid != nil:
		return p.gridSizes
	case w.Kind().Mixed:
		return p.mixSizes
	case w.Kind().Cyclic:
		return slices.DeleteFunc(slices.Clone(p.sizes), func(n int) bool { return n > p.maxCycle })
	}
	sizes := slices.Clone(p.sizes)
	for n, of := range p.debts {
		if slices.Contains(of, w.Name) && !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
	}
	slices.Sort(sizes)
	return sizes
}

// measuresDebt returns when the growth of debt is measured in a cell.
func (p Profile) measuresDebt(w workload.Workload, n int) when {
	of, ok := p.debts[n]
	switch {
	case !p.allDebts && (!ok || len(of) > 0 && !slices.Contains(of, w.Name)):
		return never
	case p.debtsFirst:
		return inStep
	}
	return afterFirst
}

// largestSize returns the largest size of the workloads that run at any size; 0: there is none.
func (p Profile) largestSize() int {
	sizes := p.sizes
	if len(p.only) > 0 {
		sizes = p.only
	}
	return slices.Max(append([]int{0}, sizes...))
}

// leaves returns which contenders take part in a cell.
func (p Profile) leaves(w workload.Workload, n int) crowd {
	from := p.frugalFrom
	if w.Grid != nil {
		from = p.gridFrugalFrom
	}
	switch {
	case p.fewFrom > 0 && n >= p.fewFrom:
		return allButFew
	case from > 0 && n >= from:
		return allButSlow
	}
	return everyone
}

// fit returns the structures that run with n timers.
func (p Profile) fit(all []entry.Entry, n int) []entry.Entry {
	return slices.DeleteFunc(slices.Clone(all), func(e entry.Entry) bool {
		return e.Limit > 0 && n > e.Limit || e.ThirdParty != "" && p.thirdParty > 0 && n > p.thirdParty
	})
}

// cell returns a cell of the profile, without a seed.
func (p Profile) cell(w workload.Workload, n int) cell {
	c := cell{
		workload: w, n: n, open: openScript, proveOps: p.proveOps, leaves: p.leaves(w, n), debt: p.measuresDebt(w, n),
		schedule: fixed(p.Trials, roundsPerPass),
	}
	if !c.cyclic() {
		c.period = 2 * n // each timer is scheduled once and ends once
	}
	if w.Resident > 0 {
		c.otherSeeds = p.otherSeeds
	}
	switch c.leaves {
	case allButFew:
		c.schedule = fixed(p.Trials, max(1, p.Trials))
	case allButSlow:
		c.schedule = fixed(p.Trials, roundsPerFrugalPass)
	}
	return c
}

// warmSize returns the number of operations that load a population of n into the
// cache. More than about 25,000 timers do not fit, and the limit suffices for the part of the
// structure that is used most.
func warmSize(n int) int { return min(max(5_000, n), 25_000) }

// proveSize returns the number of operations with checked answers. With a few timers 2^17 operations
// reuse each slot often enough for a generation of 16 bits to wrap around. With more timers that would
// take too long.
func proveSize(proof, n int) int {
	if n > 30 {
		return 0
	}
	return proof
}
