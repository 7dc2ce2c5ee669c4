package schedtest

import (
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest/model"
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
		ops:   []byte{model.DoSchedule, model.DoReschedule, doPopHere, doPopBack, doPopSome, model.DoStep, model.DoToNext, model.DoBeforeNext},
		kinds: []byte{model.AtNear, model.AtPast},
	})},
	{name: "PastDeadlines", check: programs(16, dialect{
		ops:   []byte{model.DoSchedule, model.DoReschedule, doPopHere, doPopSome, model.DoStep, model.DoJump, doRestart},
		kinds: []byte{model.AtNear, model.AtPast, model.AtPast, model.AtFar},
	})},
	{name: "Range", check: programs(32, dialect{
		ops: []byte{model.DoSchedule, model.DoSchedule, model.DoReschedule, model.DoCancel, doPopBack, doPopSome,
			model.DoToNext, model.DoBeforeNext, model.DoJump},
		kinds: []byte{model.AtExtreme, model.AtExtreme, model.AtFar, model.AtBoundary, model.AtPast},
		flags: flagWide | flagWide2,
	})},
	{name: "Order/NeverEarlyLostOrTwice", check: programs(16, dialect{
		ops:   []byte{model.DoSchedule, doBurst, model.DoStep, model.DoToNext, model.DoBeforeNext, doPopSome},
		kinds: []byte{model.AtNear, model.AtMiddle, model.AtFar},
	})},
	{name: "Order/EarliestFirst", check: programs(16, dialect{
		ops:   []byte{model.DoSchedule, model.DoSchedule, doBurst, doSpread, model.DoReschedule, model.DoJump, doPopSome},
		kinds: []byte{model.AtNear, model.AtMiddle, model.AtOther},
	})},
	{name: "Order/TiesAreFIFO", applies: (*config).ties, check: programs(16, dialect{
		ops:   []byte{model.DoSchedule, doBurst, model.DoReschedule, model.DoCancel, model.DoStep, model.DoBeforeNext, doPopSome},
		kinds: []byte{model.AtOther, model.AtOther, model.AtNear, model.AtBoundary},
	})},
	{name: "Order/ManyAtAdjacentTicks", check: orderAdjacentTicks},
	{name: "Order/StepsOfAllWidths", check: orderSteps},
	{name: "Order/LongHold", check: orderLongHold},
	{name: "Freedom/StopEarlyThenSchedule", check: programs(12, dialect{
		ops: []byte{model.DoSchedule, doBurst, doSpread, doPopSome, doPopSome, doPopHere},
	})},
	{name: "Freedom/StopEarlyThenCancel", check: programs(12, dialect{
		ops: []byte{doBurst, doSpread, doPopSome, doPopHere, model.DoCancel, model.DoCancel, doStale},
	})},
	{name: "Freedom/StopEarlyThenReschedule", check: programs(12, dialect{
		ops: []byte{doBurst, doSpread, doPopSome, doPopHere, model.DoReschedule, model.DoReschedule},
	})},
	{name: "Identity/StaleIsRefused", check: programs(24, dialect{
		ops:   []byte{model.DoSchedule, model.DoSchedule, model.DoCancel, model.DoStep, model.DoToNext, doStale, doStale, doStale},
		kinds: []byte{model.AtNear, model.AtMiddle},
	})},
	{name: "Identity/StaleAfterManyReuses", check: identityManyReuses},
	{name: "Identity/ForgedIsRefused", check: programs(24, dialect{
		ops:   []byte{model.DoSchedule, doBurst, model.DoCancel, model.DoStep, doForged},
		kinds: []byte{model.AtNear, model.AtMiddle},
	})},
	{name: "Identity/CancelTakesThatOneOnly", check: programs(12, dialect{
		ops:   []byte{model.DoSchedule, doBurst, model.DoCancel, model.DoCancel, model.DoCancel, model.DoStep},
		kinds: []byte{model.AtNear, model.AtOther},
	})},
	{name: "Reschedule/KeepsIDAndValue", check: programs(12, dialect{
		ops:   []byte{model.DoSchedule, doBurst, model.DoReschedule, model.DoReschedule, doPopSome, model.DoToNext},
		kinds: []byte{model.AtNear, model.AtMiddle, model.AtFar, model.AtPast, model.AtOther},
	})},
	{name: "Reschedule/FewTimersOften", check: programs(12, dialect{
		ops: []byte{model.DoSchedule, model.DoReschedule, model.DoReschedule, model.DoReschedule, model.DoReschedule, model.DoReschedule,
			model.DoReschedule, model.DoReschedule, model.DoReschedule, model.DoCancel, model.DoCancel, doPopHere},
		kinds: []byte{model.AtFar, model.AtFar, model.AtNear},
	})},
	{name: "Reschedule/AcrossBoundaries", check: programs(32, dialect{
		ops:   []byte{model.DoSchedule, doSpread, model.DoReschedule, model.DoReschedule, model.DoToNext, model.DoBeforeNext, model.DoCancel},
		kinds: []byte{model.AtBoundary, model.AtBoundary, model.AtFar, model.AtNear},
	})},
	{name: "Next/NamesWhenToPop", check: programs(16, dialect{
		ops:   []byte{model.DoSchedule, model.DoCancel, model.DoReschedule, doPopSome, doPopHere, model.DoToNext, model.DoBeforeNext},
		kinds: []byte{model.AtNear, model.AtMiddle, model.AtFar, model.AtBoundary}, flags: flagNext | flagSteps,
	})},
	{name: "Next/ReachesEveryTimer", check: programs(16, dialect{
		ops:   []byte{model.DoSchedule, doSpread, model.DoCancel, model.DoCancel, model.DoToNext, model.DoBeforeNext},
		kinds: []byte{model.AtFar, model.AtBoundary}, flags: flagSteps | flagWide | flagWide2,
	})},
	{name: "Jumps/CostNotTheirWidth", check: jumpsCostNotTheirWidth},
	{name: "Len/CountsPending", check: programs(8, dialect{
		ops: []byte{doBurst, doPopSome, model.DoCancel, model.DoReschedule, doStale, doForged},
	})},
	{name: "Memory/SteadyStateAllocatesNothing", check: memorySteadyState, applies: (*config).bounded},
	{name: "Memory/HeapDoesNotGrow", check: memoryHolds, applies: (*config).bounded},
	{name: "Instances/ShareNothing", check: instancesShareNothing},
	{name: "Spans/JumpToEachDeadline", check: programs(12, dialect{
		ops: []byte{doSpread, model.DoToNext, model.DoJump}, flags: flagWide | flagWide2,
	})},
	{name: "Spans/StepByNext", check: programs(12, dialect{
		ops: []byte{doSpread, model.DoBeforeNext}, flags: flagSteps | flagWide | flagWide2,
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
			program := model.Random(seed, 192)
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
		tooMuchWork = 1 << 20 // far more than any number of slots and levels
		tooLong     = 5 * time.Second
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
