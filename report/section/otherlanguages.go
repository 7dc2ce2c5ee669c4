// Contenders that no ranking holds: programs of other languages, whose time includes their language, and structures whose timers are
// fields of the caller's structs. Each is compared with the fastest structure, floor by floor.

package section

import (
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
)

// otherLanguages compares programs with the structures: those whose timers have an ID or a handle with the structures by ID, and those
// whose timers are fields of the caller's structs with the intrusive structures.
func otherLanguages(v *View) Section {
	s := Section{Title: "How do timers of other languages compare?"}
	for _, intrusive := range []bool{false, true} {
		kind := "Timers with an ID or a handle"
		if intrusive {
			kind = "Timers as fields of the caller's structs"
		}
		duels := newTable("lrlrrlrrrr", "Workload", "N", "Fastest program", "ns", "Floor", "Fastest structure here", "ns", "Floor", "Times as long as the program", "Above the floors")
		for _, c := range v.Cells {
			addDuel(duels, c, v.fastest(c, true, intrusive), v.fastest(c, false, intrusive))
		}
		if len(duels.Rows) > 0 {
			s.Tables = append(s.Tables, Table{
				Lead: show.Para(show.Strong(kind), ": the fastest program and the fastest structure here."),
				Body: show.Tables(duels), Main: true,
			})
		}
	}
	if len(s.Tables) == 0 {
		return s
	}
	s.Lead = show.Para("Programs of other languages replayed the same blocks in the same rounds, and their answers were " +
		"proved like those of the structures. Each program timed itself. Its time includes its loop, its calls and its language; the " +
		"floor, an adapter without a structure, shows how much that is. A library that reads a clock got a virtual one.")
	s.Tables[0].Lead = append(show.Para(show.Strong("The floor"), " is the cost of the same loop without a structure: an empty adapter in the language of "+
		"the program, and ", show.Mono("null"), " or ", show.Mono(results.IntrusiveFloor), " for the structures here. The last column compares the costs "+
		"without their floors."), s.Tables[0].Lead...)
	of := func(r *results.Row) bool { return r.HasCost() && v.Program(r.Structure) != nil }
	cells := slices.DeleteFunc(slices.Clone(v.Cells), func(c *stats.Costs) bool { return !slices.ContainsFunc(c.Rows, of) })
	costs := v.byWorkload(cells, of, func(c *stats.Costs, r *results.Row) any { return answer.Cost(c.Cost(r)) })
	s.Tables = append(s.Tables, Table{Title: "All costs of programs in nanoseconds", Body: show.Tables(costs)}, Table{
		Lead: show.Para(show.Strong("The programs."), " Wake-up: the cost of a wake-up on which nothing is due, with one timer pending. It "+
			"includes the other work of an event loop. Calls: the structure is inlined into the timed loop, or calls back through a pointer. "+
			"Collected, compiled: the time of a garbage collector and of a compiler, as a share of the timed blocks."),
		Title: "The programs", Body: show.Tables(v.programs()),
	})
	return s
}

// fastest returns the exact row of a cell with the least cost among programs, or among the structures here, of one kind of timers;
// nil: there is none.
func (v *View) fastest(c *stats.Costs, theirs, intrusive bool) (best *results.Row) {
	for _, row := range c.Rows {
		p := v.Program(row.Structure)
		is := p != nil && !p.Floor && !p.Coarse && p.Intrusive == intrusive
		if !theirs {
			is = p == nil && !row.Coarse && (intrusive && row.Role == results.RoleIntrusive || !intrusive && row.Role == results.RoleStructure)
		}
		if is && row.HasCost() && (best == nil || c.Cost(row).Center < c.Cost(best).Center) {
			best = row
		}
	}
	return best
}

// addDuel compares b with a in a cell, if both have a cost.
func addDuel(t *show.Table, c *stats.Costs, a, b *results.Row) {
	if a != nil && b != nil {
		addUnit(t, c, show.Name(a.Structure), answer.Cost(c.Cost(a)), answer.Cost(c.Cost(c.Loop(a))), show.Name(b.Structure), answer.Cost(c.Cost(b)),
			answer.Cost(c.Cost(c.Loop(b))), answer.Times(c.Ratio(b, a)), answer.Times(c.Net(b, a)))
	}
}

func (v *View) programs() *show.Table {
	t := newTable("llllrrrrl", "Program", "Language", "Structure", "Calls", "Clock ns", "Wake-up ns", "Collected",
		"Compiled", "More")
	for _, p := range v.External {
		calls := show.Joined(", ", show.When(p.Inlined, "inlined"), show.When(p.Virtual, "back by pointer"))
		more := show.Joined("; ", p.Note, show.When(p.Coarse, "fires late, within its bound"), show.When(p.Limit > 0, "up to "+short(p.Limit)+" timers"))
		t.Add(show.Name(p.Name), p.Language, p.Version, unless(calls), p.ClockNS, p.WakeNS,
			share(p.CollectionNS, p.TimedNS), share(p.CompileNS, p.TimedNS), unless(more))
	}
	return t
}

// share is a part of a time in percent; nothing is a dash.
func share(part, of uint64) any {
	if part == 0 || of == 0 {
		return nil
	}
	return percent(math.Min(1, float64(part)/float64(of)))
}

// intrusive says what an ID costs: it compares structures whose timers are fields of the caller's structs with those by ID, each with the
// floor of its loop. Only the caller knows whether they fit.
func intrusive(v *View) Section {
	t := newTable("lrlrrlrrrr", "Workload", "N", "Fastest by ID", "ns", "Floor", "Fastest intrusive", "ns", "Floor", "Times as long as by ID", "Above the floors")
	for _, c := range v.Cells {
		addDuel(t, c, v.fastest(c, false, false), v.fastest(c, false, true))
	}
	s := Section{Title: "What if the timer can be a field of your struct?"}
	if len(t.Rows) > 0 {
		s.Lead = show.Para("These structures link timers that are fields of your own structs. They need no ID, no table and no copy of a value. " +
			"In return you must not copy a pending timer, and a timer that fired and was scheduled again looks like the first, where a stale ID is refused.")
		s.Tables = []Table{{Title: "What an ID costs", Body: show.Tables(t)}}
	}
	return s
}
