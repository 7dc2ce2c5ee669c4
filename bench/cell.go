package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/parallel"
	"github.com/timerbench/timerbench/structures/entry"
)

// Cell is a workload at one size. Its steps have the rounds in which it is measured.
//
// A pass is the rounds of fresh instances of all contenders. They are spread over the time in which the population is replaced:
// structures do rare work (sweeps of stale entries, rebuilding) once in that time.
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
	order      *script.Rand

	// period is the number of operations over which the rounds are spread, after a warm-up: about those that replace the
	// population. It is 0 without a warm-up: a cycle has all operations, and a recording ends.
	period    int
	rounds    int  // planned; later passes repeat the ages of the first ones. A cell that gets fewer is out of time
	perPass   int  // rounds of a pass
	instances int  // of a contender: the passes in which the planned rounds are made, at other ages
	ages      int  // of the instances in a pass
	kinds     int  // rounds in which the kinds of operations are timed
	calls     int  // rounds in which single calls are timed
	again     bool // the second instance of a few structures samples single calls, too
	proveOps  int  // operations of the block whose answers are checked, in a cell of few timers
	stops     int  // under a budget the rounds after which contenders that are far behind drop out; 0: none does
}

func newCell(w workload.Workload, n int, entries []entry.Entry, seed uint64) *Cell {
	c := &Cell{workload: w, n: n, entries: entries, seed: seed, order: script.NewRand(seed, ^workload.StreamOf(w.Name, n))}
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

// sizes are the operations of the blocks of a pass.
type sizes struct{ prove, block, warm int }

// sizes returns the sizes of the blocks of a pass. Its first round has the most blocks. With a few timers 2^17 operations with
// checked answers reuse each slot often enough for a generation of 16 bits to wrap around. With more timers that would take too long.
func (c *Cell) sizes(first int) sizes {
	if c.trace != nil {
		return divided(c.trace.operations()-c.trace.fill, min(c.perPass, c.rounds), len(c.timings(first)))
	}
	const few = 30
	// The warm-up loads the population into the cache. More than about 25,000 timers do not fit, and the limit suffices for the
	// part of the structure that is used most.
	s := sizes{prove: c.block(), block: c.block(), warm: min(max(5_000, c.n), 25_000)}
	if c.n <= few {
		s.prove = max(s.prove, c.proveOps)
	}
	return s
}

// roundsPerPass is the number of rounds that one instance replays without a budget (chosen). Two rounds show the
// variation between rounds, and more instances are worth more than more rounds. In cells of very many timers, where the
// fill and the ageing of an instance take longer than its rounds, it is roundsPerFrugalPass.
const roundsPerPass, roundsPerFrugalPass = 2, 3

// plannedRounds is the number of rounds of a cheap cell under a budget (chosen). More rounds would not narrow the interval
// of a ratio, because two runs differ by more than their rounds say.
const plannedRounds = 48

// design sets the rounds of the cell. Without a budget everything is timed in each round, all passes have the same distance between
// rounds, and each begins a little later than the previous one.
//
// A run that takes turns with another one times costs only, and its operations repeat after one pass.
//
// With a budget (all values chosen) the passes begin at different ages, and the many rounds of a pass age
// its instances. Most rounds are for the cost only. Rounds are planned where they are cheap: with many
// timers the fill of an instance takes longer than its rounds. The second pass samples single calls for the ranges in the
// picture of latency, which shows the cells with half of the timers cancelled.
func (c *Cell) design(cfg Config, perPass int) {
	c.rounds, c.perPass, c.kinds, c.calls, c.control, c.proveOps = cfg.Trials, max(1, perPass), cfg.Trials, cfg.Trials, true, cfg.Profile.ProveOps
	switch {
	case cfg.Rounds > 0:
		c.perPass, c.kinds, c.calls, c.control = max(1, cfg.Trials), 0, 0, false
	case cfg.Budget.Limit == 0:
	case c.trace != nil:
		c.perPass = roundsOfRecording(c.trace.operations())
		c.rounds = instances(plannedRounds, c.perPass) * c.perPass
	case c.leaves == allButFew:
		c.perPass, c.rounds = 12, 12
	case c.n >= manyTimers:
		c.perPass, c.rounds = 12, 24
	default:
		c.perPass, c.rounds = plannedRounds/3, plannedRounds
	}
	c.instances, c.ages = instances(c.rounds, c.perPass), c.perPass
	if cfg.Rounds == 0 && cfg.Budget.Limit > 0 {
		c.ages, c.stops, c.calls = 1, min(leastRounds, c.perPass), min(roundsPerPass, c.perPass, cfg.Trials)
		c.again = c.workload.Grid != nil && c.workload.Grid.CancelPercent == 50 && c.instances > 1
	}
}

func instances(rounds, perPass int) int { return max(1, (rounds+perPass-1)/perPass) }

// manyTimers is a number of timers among which an instance is filled for longer than its rounds take, and blocks are long (chosen).
const manyTimers = 50_000

// timings returns how the blocks of a round are timed, in order.
//
// With many timers, where blocks are long, one round of each pass suffices for the details.
//
// A block of a cyclic workload is long and has few batches. It needs no warm-up. Its
// time by kind also gives the time of the whole block. A quarter of the rounds
// gives enough latency samples.
func (c *Cell) timings(round int) []Timing {
	second := round - c.perPass
	calls := round < c.calls || c.again && second >= 0 && second < roundsPerPass
	if c.cyclic() {
		if calls && round%4 == 0 {
			return []Timing{ByKind, CallByCall}
		}
		return []Timing{ByKind}
	}
	list := []Timing{Warm, AsAWhole}
	detailed := c.n < manyTimers || round%c.perPass == 0
	if round < c.kinds && detailed {
		list = append(list, ByKind)
	}
	if calls && (detailed || round >= c.kinds) {
		list = append(list, CallByCall)
	}
	return list
}

// pass returns the rounds of a pass. The first one is not timed: in it the structures grow. The first pass checks every answer of
// it.
func (c *Cell) pass(number int) (list []Round) {
	first, count := number*c.perPass, c.perPass
	if first < c.rounds {
		count = min(count, c.rounds-first)
	}
	sizes := c.sizes(first)
	begin := Block{sizes.prove, Checked}
	if number > 0 {
		begin = Block{sizes.block, Untimed}
	}
	list = append(list, c.untimed(begin))
	for i := range count {
		r := c.untimed()
		r.Number = first + i
		r.Age = c.period * (i%c.ages*c.instances + number%c.instances) / (c.instances * c.ages)
		for _, t := range c.timings(r.Number) {
			size := sizes.block
			if t == Warm {
				size = sizes.warm
			}
			r.Blocks = append(r.Blocks, Block{size, t})
		}
		r.Proved, r.Drops = r.Number+1 == c.stops, c.stops > 0 && r.Number+1 >= c.stops
		list = append(list, r)
	}
	if c.trace != nil {
		list = append(list, c.untimed(Block{ToTheEnd, Untimed})) // the proof covers all of the recording
	}
	for i := range list {
		list[i].Instance, list[i].Fresh = number, i == 0
	}
	if c.stops == 0 && number == c.instances-1 {
		list[len(list)-1].Proved = true
	}
	return list
}

func (c *Cell) untimed(blocks ...Block) Round {
	return Round{Number: -1, Instance: -1, Seed: c.seed, Age: BeforeWarmUp, Blocks: blocks, Contenders: parallel.Shuffled(c.order, c.contenders)}
}

// proof returns rounds that prove the cell with a seed without timing it. The first one checks every answer of a block.
func (c *Cell) proof(seed uint64, blocks int) (list []Round) {
	sizes := c.sizes(0)
	list = append(list, c.untimed(Block{sizes.prove, Checked}), c.untimed(slices.Repeat([]Block{{sizes.block, Untimed}}, blocks)...))
	if c.trace != nil {
		list = append(list, c.untimed(Block{ToTheEnd, Untimed}))
	}
	for i := range list {
		r := &list[i]
		r.Seed, r.Fresh = seed, i == 0
		r.Contenders = slices.DeleteFunc(r.Contenders, func(name string) bool { return strings.HasSuffix(name, controlSuffix) })
	}
	list[len(list)-1].Proved = true
	return list
}

// steps returns the steps of the cell. If the structures need more than the memory together, they are measured one after the
// other, without a control and further passes.
func (c *Cell) steps(cfg Config) (steps []Step) {
	c.leaves = cfg.Profile.leaves(c.workload, c.n)
	perPass := roundsPerPass
	switch {
	case c.trace != nil:
		c.leaves = everyone
		perPass = max(perPass, (cfg.Trials+traceInstances-1)/traceInstances)
	case c.leaves == allButFew:
		perPass = cfg.Trials
	case c.leaves == allButSlow:
		perPass = roundsPerFrugalPass
	}
	c.design(cfg, perPass)
	together, further := c.instances, 0
	switch {
	case cfg.Rounds > 0:
		together = instances(cfg.Rounds, c.perPass)
	case cfg.Budget.Limit > 0:
		together = 1
		if c.leaves != allButFew {
			further = c.instances - 1
		}
	}
	s := Step{Name: c.name(), cell: c, Bytes: c.bytes()}
	if cfg.Memory > 0 && s.Bytes > cfg.Memory {
		c.apart, c.control, further = true, false, 0
		s.Bytes = c.bytes()
	}
	for _, e := range cfg.External {
		c.programs = append(c.programs, e.Name)
	}
	all := c.names()
	inPass := len(all)
	if c.apart {
		inPass = 1
	}
	for c.contenders = range slices.Chunk(all, inPass) {
		for number := range together {
			s.Rounds = append(s.Rounds, c.pass(number)...)
		}
	}
	c.contenders = all
	s.Seconds = c.seconds(s.Rounds)
	steps = append(steps, s)
	for number := range further {
		rounds := c.pass(1 + number)
		steps = append(steps, Step{
			Name: fmt.Sprintf("%s, from round %d", c.name(), c.perPass*(1+number)), cell: c, further: true, Rounds: rounds,
			Seconds: c.seconds(rounds), Bytes: s.Bytes,
		})
	}
	return steps
}

// names returns the names of all contenders of the cell.
func (c *Cell) names() (names []string) {
	for _, r := range c.rows(nil) {
		names = append(names, r.Structure)
	}
	return append(names, c.programs...)
}

// rows returns the contenders of a cell: the floor, the structures, the programs and the control. Intrusive structures have a
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
	if c.control && len(entries) > 0 {
		list = append(list, controlOf(c.repeated(entries)))
	}
	return list
}
