package bench

import "math"

// schedule says how a cell is measured. The plan makes it once, and whoever measures follows it.
//
// A pass has fresh instances of the contenders, which replay rounds. The step of the cell makes passes until it has enough
// rounds. In a race it makes one, and further passes follow after all steps, as far as the time of the run goes.
type schedule struct {
	trials  int // rounds of a run without a budget
	perPass int // rounds of a pass
	passes  int // planned, each with instances of another age
	common  int // passes in which every contender takes part
	ages    int // of the instances in a pass; its rounds are spread over them
	rounds  int // planned
	until   int // the step of the cell ends after that many rounds
	most    int // a cell with that many rounds gets no further pass; 0: passes are made in its step only

	detailed int // first rounds in which the kinds of operations are timed
	sampled  int // first rounds in which single calls are timed
	again    int // rounds of the second pass in which single calls are timed
	withGC   int // rounds of one more pass, which has the garbage collector on

	// In a race whoever is far behind stops after that many rounds or later, and a pass that takes too long ends. So the proofs of
	// the results are taken then. 0: all get all rounds, and the proofs are those at the end of the common passes.
	stops int

	slowest float64 // debts are measured of contenders that take at most so many times as long as the quickest
	control bool    // one structure takes part twice
}

// plannedRounds is the number of rounds of a cheap cell under a budget, and mostRounds is the largest
// number for any cell, if time is left (chosen).
const plannedRounds, mostRounds = 48, 96

// roundsPerPass is the number of rounds that one instance replays without a budget (chosen). Two rounds show the
// variation between rounds, and more instances are worth more than more rounds. In cells of very many timers, where the
// fill and the ageing of an instance take longer than its rounds, it is roundsPerFrugalPass.
const roundsPerPass, roundsPerFrugalPass = 2, 3

// fixed is the schedule of a run without a budget: that many rounds.
func fixed(trials, perPass int) schedule {
	passes := max(1, (trials+perPass-1)/perPass)
	return schedule{
		trials: trials, perPass: perPass, passes: passes, common: passes, ages: perPass,
		rounds: trials, until: trials, detailed: trials, sampled: trials, slowest: math.Inf(1), control: true,
	}
}

// inTurns is the schedule of a run that takes turns with another one. Its operations repeat after one pass.
func inTurns(trials, rounds int) schedule {
	s := fixed(trials, max(1, trials))
	s.until, s.detailed, s.sampled, s.control = rounds, 0, 0, false
	return s
}

// raced returns the schedule of the cell under a budget (chosen). Rounds are planned where they are cheap. With many
// timers the fill of an instance takes longer than its rounds. The second pass samples single calls for the ranges in the
// picture of latency, which shows the cells with half of the timers cancelled.
func (c cell) raced() schedule {
	s := schedule{
		trials: c.trials, common: 1, ages: 1, until: 1, most: mostRounds, detailed: c.trials, slowest: slowDebt, control: true,
	}
	switch {
	case c.trace != nil:
		s.perPass = roundsOfRecording(c.trace.operations())
		s.passes = (plannedRounds + s.perPass - 1) / s.perPass
	case c.leaves == allButFew:
		s.passes, s.perPass, s.most = 1, 12, 1
	case c.n >= 50_000:
		s.passes, s.perPass = 2, 12
	default:
		s.passes, s.perPass = 3, plannedRounds/3
	}
	s.rounds, s.stops, s.sampled = s.passes*s.perPass, min(leastRounds, s.perPass), min(roundsPerPass, s.perPass, s.trials)
	if g := c.workload.Grid; s.passes > 1 && g != nil && g.CancelPercent == 50 {
		s.again = roundsPerPass
	}
	return s
}

func (s schedule) samples(pass int) bool {
	return pass*s.perPass < s.sampled || pass == 1 && s.again > 0
}

type round struct {
	number int
	age    int    // operations since the warm-up at which it begins
	modes  []mode // of its blocks, in order
}

// roundsOf returns the rounds of a pass. After the planned passes the first ones repeat.
//
// Structures do rare work (sweeps of stale entries, rebuilding), once while the population is replaced. So the
// rounds of a cell are spread over one replacement. With a budget the passes begin at different ages,
// and the many rounds of a pass age its instances. Otherwise all passes have the same distance between
// rounds, and each pass begins a little later than the previous one.
func (c cell) roundsOf(pass int) []round {
	first := pass * c.perPass
	list := make([]round, c.perPass)
	if first < c.rounds {
		list = list[:min(len(list), c.rounds-first)]
	}
	for i := range list {
		age := c.period * (i%c.ages*c.passes + pass%c.passes) / (c.passes * c.ages)
		list[i] = round{first + i, age, c.modes(first + i)}
	}
	return list
}

// mostWithGC is the largest number of rounds with the garbage collector on (chosen).
const mostWithGC = 3

// roundsWithGC returns the rounds of the pass with the collector on. They repeat those of the first pass.
func (c cell) roundsWithGC() []round {
	list := c.roundsOf(0)
	list = list[:min(len(list), c.withGC)]
	for _, r := range list {
		for i, m := range r.modes {
			if r.modes[i] = m.whole(c.cyclic()); r.modes[i] == modeCost {
				r.modes[i] = modeWithGC
			}
		}
	}
	return list
}

// modes returns the modes of a round, in order. Each mode replays one block.
//
// Most rounds of a budget are for the cost only. With many timers, where blocks are long, one
// round of each pass suffices for the other modes.
//
// A block of a cyclic workload is long and has few batches. It needs no warm-up. Its
// time by kind also gives the time of the whole block. A quarter of the rounds
// gives enough latency samples.
func (c cell) modes(round int) []mode {
	const manyTimers = 50_000
	if c.cyclic() {
		if round < c.sampled && round%4 == 0 {
			return []mode{modeByKind, modeLatency}
		}
		return []mode{modeByKind}
	}
	modes := []mode{modeWarm, modeCost}
	detailed := round < c.detailed && (c.n < manyTimers || round%c.perPass == 0)
	if detailed {
		modes = append(modes, modeByKind)
	}
	if after := round - c.perPass; detailed && round < c.sampled || after >= 0 && after < c.again {
		modes = append(modes, modeLatency)
	}
	return modes
}
