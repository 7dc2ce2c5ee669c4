package bench

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/parallel"
	"github.com/timerbench/timerbench/structures/entry"
)

// Cell is a workload at one size. Its steps have the rounds in which it is measured.
type Cell struct {
	workload workload.Workload
	n        int
	seed     uint64
	trace    *Trace        // nil: a workload
	entries  []entry.Entry // the structures that accept n timers
	place    int           // in the results
	leaves   crowd         // contenders that do not take part, see leaveOut
	control  bool          // one structure takes part twice
	apart    bool          // the structures are measured one after the other, because they need too much memory together

	contenders []string // of the rounds to plan
	programs   []string // of other languages, among them

	// period is the number of operations over which the rounds are spread, after a warm-up: about those that replace the
	// population. It is 0 without a warm-up: a cycle has all operations, and a recording ends.
	period    int
	instances int  // planned, each with rounds at other ages
	planned   int  // rounds; a cell that gets fewer is out of time
	stops     int  // under a budget the rounds after which contenders that are far behind drop out; 0: none does
	again     bool // the second instance of a few structures samples single calls, too
}

func newCell(w workload.Workload, n int, entries []entry.Entry) *Cell {
	c := &Cell{workload: w, n: n, entries: entries}
	if !c.cyclic() && w.Category != workload.Recorded {
		c.period = 2 * n // each timer is scheduled once and ends once
	}
	return c
}

func (c *Cell) name() string { return cellName(c.workload.Name, c.n) }

func (c *Cell) where(seed uint64) string { return fmt.Sprintf("%s, seed %d", c.name(), seed) }

func cellName(workload string, n int) string { return fmt.Sprintf("%s, n %d", workload, n) }

func (c *Cell) cyclic() bool { return c.workload.Kind().Cyclic }

func (c *Cell) block() int {
	const most = 200_000
	if c.workload.Trial > 0 {
		return c.workload.Trial
	}
	return min(max(20_000, c.n/20), most)
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

// sizes are the operations of the blocks of a pass. A round of a long recording has several segments: all contenders replay the
// blocks of a segment before the next one begins, and a trial is the sum of the segments.
type sizes struct{ prove, block, warm, segments int }

// sizes returns the sizes of the blocks of a pass with that many rounds, of which the first one has the given number of blocks.
func (c *Cell) sizes(proveOps, rounds, blocks int) sizes {
	if c.trace != nil {
		return divided(c.trace.operations()-c.trace.fill, rounds, blocks)
	}
	block := c.block()
	return sizes{prove: max(block, proveSize(proveOps, c.n)), block: block, warm: warmSize(c.n), segments: 1}
}

// roundsPerPass is the number of rounds that one instance replays without a budget (chosen). Two rounds show the
// variation between rounds, and more instances are worth more than more rounds. In cells of very many timers, where the
// fill and the ageing of an instance take longer than its rounds, it is roundsPerFrugalPass.
const roundsPerPass, roundsPerFrugalPass = 2, 3

// plannedRounds is the number of rounds of a cheap cell under a budget, and mostRounds is the largest
// number for any cell, if time is left (chosen).
const plannedRounds, mostRounds = 48, 96

// mostWithGC is the largest number of rounds with the garbage collector on (chosen).
const mostWithGC = 3

// passes make the rounds of a cell. A pass has fresh instances of all contenders, whose rounds are spread over the time in which
// the population is replaced: structures do rare work (sweeps of stale entries, rebuilding) once in that time.
type passes struct {
	*Cell
	proveOps int
	rounds   int // planned; later passes repeat the ages of the first ones
	perPass  int
	ages     int                                 // of the instances in a pass
	detailed func(round int) (kinds, calls bool) // whether the kinds of operations, and single calls, are timed
	proved   int                                 // the last instances whose proofs are in the results
	order    *script.Rand
}

func instances(rounds, perPass int) int { return max(1, (rounds+perPass-1)/perPass) }

func (c *Cell) passesOf(proveOps int) passes {
	return passes{Cell: c, proveOps: proveOps, order: script.NewRand(c.seed, ^workload.StreamOf(c.workload.Name, c.n))}
}

// fixed plans a number of rounds, in each of which everything is timed. All passes have the same distance between
// rounds, and each begins a little later than the previous one.
func (c *Cell) fixed(proveOps, rounds, perPass int) passes {
	p := c.passesOf(proveOps)
	c.control, c.planned, c.stops, c.instances = true, 0, 0, instances(rounds, perPass)
	p.rounds, p.perPass, p.ages, p.proved = rounds, perPass, perPass, c.instances-1
	p.detailed = func(int) (bool, bool) { return true, true }
	return p
}

// inTurns plans the rounds of a run that takes turns with another one. The operations repeat after one pass.
func (c *Cell) inTurns(proveOps, trials int) passes {
	p := c.fixed(proveOps, trials, max(1, trials))
	c.control = false
	p.detailed = func(int) (bool, bool) { return false, false }
	return p
}

// raced plans the rounds of a run with a budget (chosen). The passes begin at different ages, and the many rounds of a pass age
// its instances. Most rounds are for the cost only. Rounds are planned where they are cheap: with many
// timers the fill of an instance takes longer than its rounds. The second pass samples single calls for the ranges in the
// picture of latency, which shows the cells with half of the timers cancelled.
func (c *Cell) raced(proveOps, trials int) passes {
	p := c.passesOf(proveOps)
	switch {
	case c.trace != nil:
		p.perPass = roundsOfRecording(c.trace.operations())
		c.instances = instances(plannedRounds, p.perPass)
	case c.leaves == allButFew:
		c.instances, p.perPass = 1, 12
	case c.n >= 50_000:
		c.instances, p.perPass = 2, 12
	default:
		c.instances, p.perPass = 3, plannedRounds/3
	}
	c.control, c.planned, c.stops = true, c.instances*p.perPass, min(leastRounds, p.perPass)
	p.rounds, p.ages = c.planned, 1
	c.again = c.workload.Grid != nil && c.workload.Grid.CancelPercent == 50 && c.instances > 1
	p.detailed = func(round int) (kinds, calls bool) {
		second := round - p.perPass
		return round < trials, round < min(roundsPerPass, p.perPass, trials) || c.again && second >= 0 && second < roundsPerPass
	}
	return p
}

// timings returns how the blocks of a round are timed, in order.
//
// With many timers, where blocks are long, one round of each pass suffices for the details.
//
// A block of a cyclic workload is long and has few batches. It needs no warm-up. Its
// time by kind also gives the time of the whole block. A quarter of the rounds
// gives enough latency samples.
func (p passes) timings(round int) []Timing {
	const manyTimers = 50_000
	kinds, calls := p.detailed(round)
	if p.cyclic() {
		if calls && round%4 == 0 {
			return []Timing{ByKind, CallByCall}
		}
		return []Timing{ByKind}
	}
	list := []Timing{Warm, AsAWhole}
	detailed := p.n < manyTimers || round%p.perPass == 0
	if kinds && detailed {
		list = append(list, ByKind)
	}
	if calls && (detailed || !kinds) {
		list = append(list, CallByCall)
	}
	return list
}

// pass returns the rounds of a pass. The first one is not timed: in it the structures grow. The first pass checks every answer of
// it.
func (p passes) pass(number int) (list []Round) {
	first, count := number*p.perPass, p.perPass
	if first < p.rounds {
		count = min(count, p.rounds-first)
	}
	sizes := p.sizes(p.proveOps, min(p.perPass, p.rounds), len(p.timings(first))) // the first round has the most blocks
	begin := Block{sizes.prove, Checked}
	if number > 0 {
		begin = Block{sizes.block, Untimed}
	}
	list = append(list, p.untimed(begin))
	for i := range count {
		r := p.untimed()
		r.Number = first + i
		r.Age = p.period * (i%p.ages*p.instances + number%p.instances) / (p.instances * p.ages)
		for _, t := range p.timings(r.Number) {
			size := sizes.block
			if t == Warm {
				size = sizes.warm
			}
			r.Blocks = append(r.Blocks, Block{size, t})
		}
		for range sizes.segments {
			r.Contenders = parallel.Shuffled(p.order, p.contenders)
			list = append(list, r)
		}
		list[len(list)-1].Proved = r.Number+1 == p.stops
	}
	if p.trace != nil {
		list = append(list, p.untimed(Block{ToTheEnd, Untimed})) // the proof covers all of the recording
	}
	for i := range list {
		list[i].Instance, list[i].Fresh = number, i == 0
	}
	if p.stops == 0 && number == p.proved {
		list[len(list)-1].Proved = true
	}
	return list
}

func (p passes) untimed(blocks ...Block) Round {
	return Round{Number: -1, Instance: -1, Seed: p.seed, Age: BeforeWarmUp, Blocks: blocks, Contenders: parallel.Shuffled(p.order, p.contenders)}
}

// withGC returns rounds of fresh instances with the garbage collector on. They repeat the rounds of the first pass.
func (p passes) withGC() (list []Round) {
	for _, r := range p.pass(0) {
		if r.Number >= mostWithGC {
			break
		}
		r.Collecting, r.Proved, r.Blocks = true, false, slices.Clone(r.Blocks)
		r.Contenders = slices.DeleteFunc(r.Contenders, func(name string) bool { return slices.Contains(p.programs, name) })
		for i := range r.Blocks {
			if b := &r.Blocks[i]; b.Timing == Checked {
				b.Timing = Untimed
			} else {
				b.Timing = b.Timing.ofProgram(p.cyclic())
			}
		}
		list = append(list, r)
	}
	return list
}

// proof returns rounds that prove the cell with a seed without timing it. With every, it first checks every answer of a block.
func (p passes) proof(seed uint64, blocks int, every bool) []Round {
	sizes := p.sizes(p.proveOps, min(p.perPass, p.rounds), len(p.timings(0)))
	var list []Round
	if every {
		list = append(list, p.untimed(Block{sizes.prove, Checked}))
	}
	list = append(list, p.untimed(slices.Repeat([]Block{{sizes.block, Untimed}}, blocks)...))
	if every && p.trace != nil {
		list = append(list, p.untimed(Block{ToTheEnd, Untimed}))
	}
	for i := range list {
		r := &list[i]
		r.Seed, r.Fresh = seed, i == 0
		r.Contenders = slices.DeleteFunc(r.Contenders, func(name string) bool { return name == control })
	}
	list[len(list)-1].Proved = true
	return list
}

// stepsOf returns the steps of a cell. If the structures need more than the memory together, they are measured one after the
// other, without a control, rounds with the collector on, further passes and debts.
func (p Profile) stepsOf(c *Cell, cfg Config, collect bool) (steps []Step) {
	c.leaves = p.leaves(c.workload, c.n)
	perPass := roundsPerPass
	switch {
	case c.trace != nil:
		c.leaves = everyone
		perPass = max(perPass, (p.Trials+traceInstances-1)/traceInstances)
	case c.leaves == allButFew:
		perPass = max(1, p.Trials)
	case c.leaves == allButSlow:
		perPass = roundsPerFrugalPass
	}
	of := c.fixed(p.ProveOps, p.Trials, perPass)
	together, further := c.instances, 0
	switch {
	case cfg.Rounds > 0:
		of = c.inTurns(p.ProveOps, p.Trials)
		together = instances(cfg.Rounds, of.perPass)
	case cfg.Budget.Limit > 0:
		of = c.raced(p.ProveOps, p.Trials)
		together = 1
		if c.leaves != allButFew {
			further = instances(mostRounds, of.perPass) - 1
		}
	}
	debt := cfg.Rounds == 0 && c.trace == nil && p.Debts
	s := Step{Name: c.name(), cell: c, Bytes: c.bytes()}
	if cfg.Memory > 0 && s.Bytes > cfg.Memory {
		c.apart, c.control, collect, debt, further = true, false, false, false, 0
		s.Bytes = c.bytes()
	}
	for _, e := range cfg.External {
		c.programs = append(c.programs, e.Name)
	}
	all := c.names()
	c.contenders = all
	inPass := len(all)
	if c.apart {
		inPass = 1
	}
	for group := range slices.Chunk(all, inPass) {
		c.contenders = group
		for number := range together {
			s.Rounds = append(s.Rounds, of.pass(number)...)
		}
	}
	c.contenders = all
	if c.workload.Resident > 0 && c.trace == nil {
		for other := range p.OtherSeeds {
			s.Rounds = append(s.Rounds, of.proof(c.seed+1+uint64(other), p.Trials, false)...)
		}
	}
	if collect {
		s.Rounds = append(s.Rounds, of.withGC()...)
	}
	s.Seconds = c.seconds(s.Rounds)
	steps = append(steps, s)
	if debt {
		steps = append(steps, Step{Name: c.name() + ", growth of debt", cell: c, debt: true})
	}
	for number := range further {
		rounds := of.pass(1 + number)
		steps = append(steps, Step{
			Name: fmt.Sprintf("%s, from round %d", c.name(), of.perPass*(1+number)), cell: c, further: true, Rounds: rounds,
			Seconds: c.seconds(rounds), Bytes: s.Bytes,
		})
	}
	return steps
}

// control is the name of the contender that repeats a structure, see [Cell.repeated].
const control = "control"

// names returns the names of all contenders of the cell.
func (c *Cell) names() (names []string) {
	for _, r := range c.rows(nil) {
		names = append(names, r.Structure)
	}
	names = append(names, c.programs...)
	if c.control {
		names = append(names, control)
	}
	return names
}

// rows returns the contenders of a cell: the floor, the structures and the programs. Intrusive structures have a
// floor of their own.
func (c *Cell) rows(programs []*external.Program, leftOut ...string) (list []*contender) {
	floor, floorInStructs := replay.Floors()
	list = append(list, newContender(results.RoleFloor, floor))
	intrusive := false
	entries := slices.DeleteFunc(slices.Clone(c.entries), func(e entry.Entry) bool { return slices.Contains(leftOut, e.Name) })
	for _, e := range entries {
		role := results.RoleStructure
		if e.Intrusive() {
			role, intrusive = results.RoleIntrusive, true
		}
		list = append(list, newContender(role, e))
	}
	if intrusive {
		list = append(list, newContender(results.RoleFloor, floorInStructs))
	}
	for _, p := range programs {
		if (p.About.Limit == 0 || c.n <= p.About.Limit) && !slices.Contains(leftOut, p.Name) {
			list = append(list, programContender(p))
		}
	}
	return list
}
