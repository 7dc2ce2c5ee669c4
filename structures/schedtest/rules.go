package schedtest

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest/model"
)

// A rule is one subtest. Its name starts with the word that the contract uses. What it checks is a number of random programs in
// a dialect, or a function.
type rule struct {
	name       string
	programs   uint64
	ops, kinds []byte
	flags      byte
	room       int // for timers; the programs are longer, and the invariants are checked after each operation
	function   func(reporter, *config)
	applies    func(*config) bool // nil: always
}

// stopEarlyAndGrow has timers due at most times, whatever happens in between.
var stopEarlyAndGrow = rule{name: "Freedom/StopEarlyAndGrow", programs: 1, room: 1000, ops: []byte{doCrowd}}

// suite is what Run checks, most of them by random programs of the operations and the kinds of
// deadline on which a structure breaks the rule if it does.
var suite = []rule{
	{name: "Clock", programs: 16, kinds: []byte{near, past},
		ops: []byte{doSchedule, doReschedule, doPopHere, doPopBack, doPopSome, doStep, doToNext, doBeforeNext}},
	{name: "PastDeadlines", programs: 16, kinds: []byte{near, past, past, far},
		ops: []byte{doSchedule, doReschedule, doPopHere, doPopSome, doStep, doJump, doRestart}},
	{name: "Range", programs: 32, kinds: []byte{extreme, extreme, far, boundary, past}, flags: flagWide | flagWide2,
		ops: []byte{doSchedule, doSchedule, doReschedule, doCancel, doPopBack, doPopSome, doToNext, doBeforeNext, doJump}},
	{name: "Order/NeverEarlyLostOrTwice", programs: 16, kinds: []byte{near, middle, far},
		ops: []byte{doSchedule, doBurst, doStep, doToNext, doBeforeNext, doPopSome}},
	{name: "Order/EarliestFirst", programs: 16, kinds: []byte{near, middle, other},
		ops: []byte{doSchedule, doSchedule, doBurst, doSpread, doReschedule, doJump, doPopSome}},
	{name: "Order/TiesAreFIFO", applies: (*config).ties, programs: 16, kinds: []byte{other, other, near, boundary},
		ops: []byte{doSchedule, doBurst, doReschedule, doCancel, doStep, doBeforeNext, doPopSome}},
	{name: "Order/ManyAtAdjacentTicks", function: orderAdjacentTicks},
	{name: "Order/ManyAmongFew", function: orderManyAmongFew},
	{name: "Order/StepsOfAllWidths", function: orderSteps},
	{name: "Order/LongHold", function: orderLongHold},
	{name: "Freedom/StopEarlyThenSchedule", programs: 12, ops: []byte{doSchedule, doBurst, doSpread, doPopSome, doPopSome, doPopHere}},
	{name: "Freedom/StopEarlyThenCancel", programs: 12,
		ops: []byte{doBurst, doSpread, doPopSome, doPopHere, doCancel, doCancel, doStale}},
	{name: "Freedom/StopEarlyThenReschedule", programs: 12,
		ops: []byte{doBurst, doSpread, doPopSome, doPopHere, doReschedule, doReschedule}},
	stopEarlyAndGrow,
	{name: "Identity/StaleIsRefused", programs: 24, kinds: []byte{near, middle},
		ops: []byte{doSchedule, doSchedule, doCancel, doStep, doToNext, doStale, doStale, doStale}},
	{name: "Identity/StaleAfterManyReuses", function: identityManyReuses},
	{name: "Identity/ForgedIsRefused", programs: 24, kinds: []byte{near, middle},
		ops: []byte{doSchedule, doBurst, doCancel, doStep, doForged}},
	{name: "Identity/CancelTakesThatOneOnly", programs: 12, kinds: []byte{near, other},
		ops: []byte{doSchedule, doBurst, doCancel, doCancel, doCancel, doStep}},
	{name: "Reschedule/KeepsIDAndValue", programs: 12, kinds: []byte{near, middle, far, past, other},
		ops: []byte{doSchedule, doBurst, doReschedule, doReschedule, doPopSome, doToNext}},
	{name: "Reschedule/FewTimersOften", programs: 12, kinds: []byte{far, far, near},
		ops: []byte{doSchedule, doReschedule, doReschedule, doReschedule, doReschedule, doReschedule, doReschedule,
			doReschedule, doReschedule, doCancel, doCancel, doPopHere}},
	{name: "Reschedule/AcrossBoundaries", programs: 32, kinds: []byte{boundary, boundary, far, near},
		ops: []byte{doSchedule, doSpread, doReschedule, doReschedule, doToNext, doBeforeNext, doCancel}},
	{name: "Next/NamesWhenToPop", programs: 16, kinds: []byte{near, middle, far, boundary}, flags: flagNext | flagSteps,
		ops: []byte{doSchedule, doCancel, doReschedule, doPopSome, doPopHere, doToNext, doBeforeNext}},
	{name: "Next/ReachesEveryTimer", programs: 16, kinds: []byte{far, boundary}, flags: flagSteps | flagWide | flagWide2,
		ops: []byte{doSchedule, doSpread, doCancel, doCancel, doToNext, doBeforeNext}},
	{name: "Jumps/CostNotTheirWidth", function: jumpsCostNotTheirWidth},
	{name: "Len/CountsPending", programs: 8, ops: []byte{doBurst, doPopSome, doCancel, doReschedule, doStale, doForged}},
	{name: "Memory/SteadyStateAllocatesNothing", function: memorySteadyState, applies: (*config).bounded},
	{name: "Memory/HeapDoesNotGrow", function: memoryHolds, applies: (*config).bounded},
	{name: "Instances/ShareNothing", function: instancesShareNothing},
	{name: "Spans/JumpToEachDeadline", programs: 12, flags: flagWide | flagWide2, ops: []byte{doSpread, doToNext, doJump}},
	{name: "Spans/StepByNext", programs: 12, flags: flagSteps | flagWide | flagWide2, ops: []byte{doSpread, doBeforeNext}},
	{name: "Spans/OneJump", programs: 12, ops: []byte{doSpread}},
	{name: "Model/RandomPrograms", function: modelRandomPrograms},
}

// Run checks a structure, with a subtest for each rule of the contract. newScheduler returns an empty structure
// at each call. Run measures memory, so the test that calls it must not be parallel.
func Run(t *testing.T, newScheduler func() structures.Scheduler[uint64], opts ...Option) {
	c := newConfig(newScheduler, append([]Option{scaleFor(t)}, opts...))
	for _, rule := range suite {
		if strings.HasPrefix(rule.name, "Memory/") && t.Failed() {
			continue // a million operations on a broken structure may never end
		}
		if rule.applies == nil || rule.applies(c) {
			t.Run(rule.name, func(t *testing.T) { rule.check(t, c) })
		}
	}
}

// check performs the programs of a rule, the first one and half of the others from tick 0, the rest from around the powers
// of two.
func (rule rule) check(r reporter, c *config) {
	r.Helper()
	if rule.function != nil {
		rule.function(r, c)
		return
	}
	for seed := range uint64(c.amount(8*int(rule.programs), int(rule.programs))) {
		program, s := model.Random(seed, 192), newSubject(r, c, "random program, seed %d", seed)
		if rule.room > 0 {
			program, s.walk, s.room = model.Random(seed+1, 1024), true, rule.room // 0 finds less
		}
		program[0] |= rule.flags
		program[1] = 0
		if seed%2 == 1 {
			program[1] = startLater + byte(seed*startLater/rule.programs)
		}
		replay(s, dialect{rule.ops, rule.kinds, rule.flags}, program)
	}
}

// orderManyAmongFew has a few timers far apart, which a structure may sort before they are due, and then many in a slot of a wheel,
// next to the last of them. The clock jumps over all, and Next is asked when Pop comes to that slot.
func orderManyAmongFew(r reporter, c *config) {
	r.Helper()
	const start, apart, few = 1 << 18, 1 << 12, 32
	for seed := range uint64(c.amount(60, 12)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s := newSubject(r, c, "many timers among few, seed %d", seed)
		for i := range structures.Tick(few) {
			s.schedule(start + (i+1)*apart + structures.Tick(rng.IntN(3)) - 1)
		}
		s.drain(start)
		s.schedule(start + 2)
		for range 80 {
			s.schedule(start + few*apart + structures.Tick(2+rng.IntN(apart-2)))
		}
		s.inBulk(func() {
			for range few {
				s.pop(start + (few+2)*apart)
			}
		})
		s.walk = true
		for range 5 {
			s.next()
			s.pop(start + (few+2)*apart)
		}
		s.inBulk(s.finish)
	}
}

func modelRandomPrograms(r reporter, c *config) {
	r.Helper()
	for i, program := range seeds() {
		replay(newSubject(r, c, "seed program %d: %x", i, program), everything, program)
	}
	for seed := range uint64(max(24, c.amount(128, 24))) {
		n := 1024
		if seed%16 == 0 {
			n *= 4
		}
		replay(newSubject(r, c, "random program, seed %d, %d bytes", seed, n), everything, model.Random(seed, n))
	}
}

func instancesShareNothing(r reporter, c *config) {
	r.Helper()
	for seed := range uint64(c.amount(16, 1)) {
		var players []*player
		for i := range uint64(3) {
			s := newSubject(r, c, "one of three at a time, random program, seed %d", 3*seed+i)
			players = append(players, newPlayer(s, everything, model.Random(1000+3*seed+i, 512)))
		}
		for busy := true; busy; {
			busy = false
			for _, p := range players {
				busy = p.step() || busy
			}
		}
		for _, p := range players {
			p.end()
		}
		replay(newSubject(r, c, "a new one after three used ones"), everything, model.Random(seed, 16))
	}
}

// jumpsCostNotTheirWidth jumps over ever wider gaps. A structure that walks the ticks is caught
// by its Work, or by the clock on the wall before the test would never end.
func jumpsCostNotTheirWidth(r reporter, c *config) {
	r.Helper()
	const (
		tooMuchWork = 1 << 20     // far more than any number of slots and levels
		tooLong     = time.Minute // more than a pause of a busy machine
	)
	for bits := 8; bits <= 62; bits += 2 {
		for _, timers := range []int{0, 1, 40} {
			s := newSubject(r, c, "%d timers, a jump over 2^%d ticks", timers, bits)
			width := structures.Tick(1) << bits
			for i := range timers {
				s.schedule(model.Add(width>>i, structures.Tick(i)-1)) // and some beyond
				s.schedule(model.Add(width, width>>i))
			}
			before, start := work(s.s), time.Now()
			s.drain(width)
			done := work(s.s).Sub(before)
			if n := done.SlotsVisited + done.Moved + done.Dropped + done.Comparisons; n > tooMuchWork {
				s.fail("Jumps",
					"Pop over %d ticks did %d steps of work with %d timers pending, want at most %d "+
						"whatever the width",
					width, n, 2*timers, tooMuchWork)
			}
			if took := time.Since(start); took > tooLong {
				s.fail("Jumps",
					"Pop over %d ticks took %v with %d timers pending: it costs what the structure holds, "+
						"not the ticks skipped",
					width, took, 2*timers)
			}
			s.finish()
		}
	}
}
