package schedtest

import (
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// A rule is one subtest. Its name starts with the word that the contract uses.
type rule struct {
	name    string
	check   func(reporter, *config)
	applies func(*config) bool // nil: always
}

// rules are what Run checks, most of them by random programs of the operations and the kinds of
// deadline on which a structure breaks the rule if it does.
var rules = []rule{
	{name: "Clock", check: programs(16, dialect{
		ops:   []byte{doSchedule, doReschedule, doPopHere, doPopBack, doPopSome, doStep, doToNext, doBeforeNext},
		kinds: []byte{atNear, atPast},
	})},
	{name: "PastDeadlines", check: programs(16, dialect{
		ops:   []byte{doSchedule, doReschedule, doPopHere, doPopSome, doStep, doJump, doRestart},
		kinds: []byte{atNear, atPast, atPast, atFar},
	})},
	{name: "Range", check: programs(32, dialect{
		ops: []byte{doSchedule, doSchedule2, doReschedule, doCancel, doPopBack, doPopSome,
			doToNext, doBeforeNext, doJump},
		kinds: []byte{atExtreme, atExtreme, atFar, atBoundary, atPast},
		flags: flagWide | flagWide2,
	})},
	{name: "Order/NeverEarlyLostOrTwice", check: programs(16, dialect{
		ops:   []byte{doSchedule, doBurst, doStep, doToNext, doBeforeNext, doPopSome},
		kinds: []byte{atNear, atMiddle, atFar},
	})},
	{name: "Order/EarliestFirst", check: programs(16, dialect{
		ops:   []byte{doSchedule, doSchedule2, doBurst, doSpread, doReschedule, doJump, doPopSome},
		kinds: []byte{atNear, atMiddle, atOther},
	})},
	{name: "Order/TiesAreFIFO", applies: (*config).ties, check: programs(16, dialect{
		ops:   []byte{doSchedule, doBurst, doReschedule, doCancel, doStep, doBeforeNext, doPopSome},
		kinds: []byte{atOther, atOther, atNear, atBoundary},
	})},
	{name: "Order/ManyAtAdjacentTicks", check: orderAdjacentTicks},
	{name: "Order/StepsOfAllWidths", check: orderSteps},
	{name: "Order/LongHold", check: orderLongHold},
	{name: "Freedom/StopEarlyThenSchedule", check: programs(12, dialect{
		ops: []byte{doSchedule, doBurst, doSpread, doPopSome, doPopSome, doPopHere},
	})},
	{name: "Freedom/StopEarlyThenCancel", check: programs(12, dialect{
		ops: []byte{doBurst, doSpread, doPopSome, doPopHere, doCancel, doCancel, doStale},
	})},
	{name: "Freedom/StopEarlyThenReschedule", check: programs(12, dialect{
		ops: []byte{doBurst, doSpread, doPopSome, doPopHere, doReschedule, doReschedule2},
	})},
	{name: "Identity/StaleIsRefused", check: programs(24, dialect{
		ops:   []byte{doSchedule, doSchedule2, doCancel, doStep, doToNext, doStale, doStale, doStale},
		kinds: []byte{atNear, atMiddle},
	})},
	{name: "Identity/StaleAfterManyReuses", check: identityManyReuses},
	{name: "Identity/ForgedIsRefused", check: programs(24, dialect{
		ops:   []byte{doSchedule, doBurst, doCancel, doStep, doForged},
		kinds: []byte{atNear, atMiddle},
	})},
	{name: "Identity/CancelTakesThatOneOnly", check: programs(12, dialect{
		ops:   []byte{doSchedule, doBurst, doCancel, doCancel, doCancel, doStep},
		kinds: []byte{atNear, atOther},
	})},
	{name: "Reschedule/KeepsIDAndValue", check: programs(12, dialect{
		ops:   []byte{doSchedule, doBurst, doReschedule, doReschedule2, doPopSome, doToNext},
		kinds: []byte{atNear, atMiddle, atFar, atPast, atOther},
	})},
	{name: "Reschedule/FewTimersOften", check: programs(12, dialect{
		ops: []byte{doSchedule, doReschedule, doReschedule, doReschedule, doReschedule, doReschedule,
			doReschedule2, doReschedule2, doReschedule2, doCancel, doCancel, doPopHere},
		kinds: []byte{atFar, atFar, atNear},
	})},
	{name: "Reschedule/AcrossBoundaries", check: programs(32, dialect{
		ops:   []byte{doSchedule, doSpread, doReschedule, doReschedule2, doToNext, doBeforeNext, doCancel},
		kinds: []byte{atBoundary, atBoundary, atFar, atNear},
	})},
	{name: "Next/NamesWhenToPop", check: programs(16, dialect{
		ops:   []byte{doSchedule, doCancel, doReschedule, doPopSome, doPopHere, doToNext, doBeforeNext},
		kinds: []byte{atNear, atMiddle, atFar, atBoundary}, flags: flagNext | flagSteps,
	})},
	{name: "Next/ReachesEveryTimer", check: programs(16, dialect{
		ops:   []byte{doSchedule, doSpread, doCancel, doCancel, doToNext, doBeforeNext},
		kinds: []byte{atFar, atBoundary}, flags: flagSteps | flagWide | flagWide2,
	})},
	{name: "Jumps/CostNotTheirWidth", check: jumpsCostNotTheirWidth},
	{name: "Len/CountsPending", check: programs(8, dialect{
		ops: []byte{doBurst, doPopSome, doCancel, doReschedule, doStale, doForged},
	})},
	{name: "Memory/SteadyStateAllocatesNothing", check: memorySteadyState, applies: (*config).bounded},
	{name: "Memory/HeapDoesNotGrow", check: memoryHolds, applies: (*config).bounded},
	{name: "Instances/ShareNothing", check: instancesShareNothing},
	{name: "Spans/JumpToEachDeadline", check: programs(12, dialect{
		ops: []byte{doSpread, doToNext, doJump}, flags: flagWide | flagWide2,
	})},
	{name: "Spans/StepByNext", check: programs(12, dialect{
		ops: []byte{doSpread, doBeforeNext}, flags: flagSteps | flagWide | flagWide2,
	})},
	{name: "Spans/OneJump", check: programs(12, dialect{ops: []byte{doSpread}})},
	{name: "Model/RandomPrograms", check: modelRandomPrograms},
}

// Run checks a structure, with a subtest for each rule of the contract. newScheduler returns an empty structure
// at each call. Run measures memory, so the test that calls it must not be parallel.
func Run(t *testing.T, newScheduler func() structures.Scheduler[uint64], opts ...Option) {
	c := newConfig(newScheduler, append([]Option{scaleFor(t)}, opts...))
	for _, rule := range rules {
		if strings.HasPrefix(rule.name, "Memory/") && t.Failed() {
			continue // a million operations on a broken structure may never end
		}
		if rule.applies == nil || rule.applies(c) {
			t.Run(rule.name, func(t *testing.T) { rule.check(t, c) })
		}
	}
}

// programs returns a check that performs n random programs in a dialect, the first one and half
// of the others from tick 0, the rest from around the powers of two.
func programs(n uint64, d dialect) func(reporter, *config) {
	return func(r reporter, c *config) {
		r.Helper()
		for seed := range uint64(c.amount(8*int(n), int(n))) {
			program := randomProgram(seed, 192)
			program[0] |= d.flags
			program[1] = 0
			if seed%2 == 1 {
				program[1] = startLater + byte(seed*startLater/n)
			}
			replay(newSubject(r, c, "random program, seed %d", seed), d, program)
		}
	}
}

func modelRandomPrograms(r reporter, c *config) {
	r.Helper()
	for i, program := range seeds() {
		replay(newSubject(r, c, "seed program %d: %x", i, program), dialect{}, program)
	}
	for seed := range uint64(max(24, c.amount(128, 24))) {
		n := 1024
		if seed%16 == 0 {
			n *= 4
		}
		replay(newSubject(r, c, "random program, seed %d, %d bytes", seed, n), dialect{}, randomProgram(seed, n))
	}
}

func instancesShareNothing(r reporter, c *config) {
	r.Helper()
	for seed := range uint64(c.amount(16, 1)) {
		var players []*player
		for i := range uint64(3) {
			s := newSubject(r, c, "one of three at a time, random program, seed %d", 3*seed+i)
			players = append(players, newPlayer(s, dialect{}, randomProgram(1000+3*seed+i, 512)))
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
		replay(newSubject(r, c, "a new one after three used ones"), dialect{}, randomProgram(seed, 16))
	}
}

// jumpsCostNotTheirWidth jumps over ever wider gaps. A structure that walks the ticks is caught
// by its Work, or by the clock on the wall before the test would never end.
func jumpsCostNotTheirWidth(r reporter, c *config) {
	r.Helper()
	const (
		tooMuchWork = 1 << 20 // far more than any number of slots and levels
		tooLong     = 5 * time.Second
	)
	for bits := 8; bits <= 62; bits += 2 {
		for _, timers := range []int{0, 1, 40} {
			s := newSubject(r, c, "%d timers, a jump over 2^%d ticks", timers, bits)
			width := structures.Tick(1) << bits
			for i := range timers {
				s.schedule(add(width>>i, structures.Tick(i)-1)) // and some beyond
				s.schedule(add(width, width>>i))
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
