package section

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
)

// otherLanguages compares programs of other languages with the structures: those whose timers have an ID or a handle with
// the structures by ID, and those whose timers are fields of the caller's structs with the intrusive structures. All other
// sections rank only the structures.
func otherLanguages(v *View) Section {
	s := Section{Title: "How do timers of other languages compare?"}
	var costs, languages []*show.Table
	for _, intrusive := range []bool{false, true} {
		f := v.withPrograms(intrusive)
		if f == nil {
			continue
		}
		s.Lead = append(s.Lead, f.lead()...)
		for _, g := range f.groups {
			s.Charts = append(s.Charts, f.chart(g))
			costs = append(costs, f.byWorkload(g.cells, (*results.Row).HasCost, func(c *stats.Costs, r *results.Row) any { return c.Cost(r).Center }))
		}
		s.Tables = append(s.Tables, Table{
			Lead:  show.Para(show.Strong(f.kind), ": the fastest program and the fastest structure here."),
			Title: f.kind, Body: show.Tables(f.duels()), Main: true, Open: true,
		})
		languages = append(languages, f.languages()...)
	}
	if len(s.Tables) == 0 {
		return s
	}
	s.Lead = append(s.Lead, show.Para("Programs of other languages replayed the same blocks in the same rounds, and their answers were "+
		"proved like those of the structures. Each program timed itself. Its time includes its loop, its calls and its language; the "+
		"floor, an adapter without a structure, shows how much that is. A library that reads a clock got a virtual one.")...)
	s.Tables[0].Lead = append(show.Para(show.Strong("The floor"), " is the cost of the same loop without a structure: an empty adapter in the language of "+
		"the program, and ", show.Mono("null"), " or ", show.Mono(results.IntrusiveFloor), " for the structures here. The last column compares the costs "+
		"without their floors."), s.Tables[0].Lead...)
	ids := v.idTable()
	ids.Main, ids.Open = true, true
	s.Tables = append(s.Tables, ids, Table{
		Lead: show.Para(show.Strong("The language."), " The same structure, written alike in several languages: the time as a "+
			"multiple of the first column, geometric mean over workloads."),
		Title: "The same structure in several languages", Body: show.Tables(languages...), Open: true,
	}, Table{Title: "All costs in nanoseconds", Body: show.Tables(costs...)}, Table{
		Lead: show.Para(show.Strong("The programs."), " Wake-up: the cost of a wake-up on which nothing is due, with one timer pending. It "+
			"includes the other work of an event loop. Calls: the structure is inlined into the timed loop, or calls back through a pointer. "+
			"Collected, compiled: the time of a garbage collector and of a compiler, as a share of the timed blocks."),
		Title: "The programs", Body: show.Tables(v.programs()),
	})
	return s
}

// programView ranks programs among structures of one kind.
type programView struct {
	*View
	kind, prefix string          // of the timers; of the names of charts
	ours         map[string]bool // structures of the catalog or of this program
	groups       []cellGroup
}

// cellGroup is the cells of one chart.
type cellGroup struct {
	name, among string // "1k", "With 1k timers"
	cells       []*stats.Costs
}

// withPrograms returns a view of the leading structures by ID, or of the intrusive structures, and of the programs of the same
// kind. It returns nil if none of these programs took part.
func (v *View) withPrograms(intrusive bool) *programView {
	if len(v.External) == 0 || v.Measured(v.Cells...) == nil {
		return nil
	}
	f := &programView{kind: "Timers with an ID or a handle", ours: make(map[string]bool)}
	rows := v.Leaders(v.Measured(v.Cells...))
	if intrusive {
		f.kind, f.prefix = "Timers as fields of the caller's structs", "intrusive-"
		rows = v.Present(func(who answer.RowName) bool { return who.Role == results.RoleIntrusive })
	}
	for _, who := range rows {
		f.ours[who.Name] = true
	}
	theirs := false
	f.View = v.only(func(row results.Row) bool {
		switch p := v.Program(row.Structure); {
		case p != nil:
			theirs = theirs || p.Intrusive == intrusive && !p.Floor
			return p.Intrusive == intrusive || p.Floor
		case row.Role == results.RoleFloor:
			return intrusive == (row.Structure == results.IntrusiveFloor)
		}
		return f.ours[row.Structure]
	})
	if !theirs {
		return nil
	}
	f.group()
	return f
}

// group sets the groups of cells in which programs were measured: the synthetic ones of each size, and the models of programs,
// which have sizes of their own.
func (f *programView) group() {
	cells := slices.DeleteFunc(slices.Clone(f.Cells), func(c *stats.Costs) bool { return f.best(c, false) == nil })
	add := func(name, among string, of func(*stats.Costs) bool) {
		g := cellGroup{name, among, slices.DeleteFunc(slices.Clone(cells), func(c *stats.Costs) bool { return !of(c) })}
		if len(g.cells) > 0 {
			f.groups = append(f.groups, g)
		}
	}
	synthetic := func(c *stats.Costs) bool {
		return answer.ClassOf(c) == workload.Synthetic || answer.ClassOf(c) == workload.Grid
	}
	for _, n := range sizesOf(cells) {
		add(short(n), "With "+short(n)+" timers", func(c *stats.Costs) bool { return synthetic(c) && c.N == n })
	}
	add("models", "In models and recordings of programs", func(c *stats.Costs) bool { return !synthetic(c) })
}

// best returns the fastest structure of a cell, of ours or of the programs; nil: none.
func (f *programView) best(c *stats.Costs, ours bool) *results.Row {
	for _, r := range c.Exact {
		if f.ours[r.Structure] == ours {
			return r
		}
	}
	return nil
}

// lead names the best program and the best structure here over all workloads of each group.
func (f *programView) lead() show.Text {
	var out []show.Span
	for _, g := range f.groups {
		named := 0
		for _, ours := range []bool{false, true} {
			merits := f.Merits(g.cells, func(who answer.RowName) bool {
				return who.IsStructure() && f.ours[who.Name] == ours
			})
			if len(merits) == 0 || !merits[0].Complete {
				continue
			}
			m := merits[0]
			of := " of timerbench"
			if p := f.Program(m.Name); p != nil {
				of = " (" + p.Language + ")"
			}
			between := g.among + ", "
			if named++; named > 1 {
				between = ", and "
			}
			out = append(out, show.Line(between, show.Mono(m.Name), fmt.Sprintf("%s takes %s times as long as the fastest of each workload",
				of, show.Times(m.Typical)))...)
		}
		if named > 0 {
			out = append(out, show.Span{Text: ". "})
		}
	}
	if len(out) == 0 {
		return nil
	}
	return show.Para(show.Strong(f.kind+"."), " ", out, "For several workloads this is the geometric mean, and the structure named does best over "+
		"all of them.")
}

func (f *programView) chart(g cellGroup) *draw.Figure {
	out := f.overviewTable(g.cells).Figure()
	out.Name = "other-languages-" + f.prefix + g.name
	out.Title = g.among + ": programs of other languages"
	out.Subtitle = f.kind + ". The time per " + units(g.cells) + " as a multiple of the fastest of all programs and structures. The chart has the " +
		"best structures of each family here. Lower is better; 1 is the fastest."
	out.Caption = "Bold: the fastest, or a tie. Grey: not measured or not proved. The tables below separate the cost of the " +
		"language from the cost of the structure."
	return out
}

// duels compares the fastest program of each cell with the fastest structure.
func (f *programView) duels() *show.Table {
	t := newTable("lrllrrlrrrr", "Workload", "N", "Fastest program", "Language", "ns", "Floor", "Fastest structure here", "ns",
		"Floor", "Times as long as the program", "Above the floors")
	for _, g := range f.groups {
		for _, c := range g.cells {
			theirs, ours := f.best(c, false), f.best(c, true)
			if theirs == nil || ours == nil {
				continue
			}
			addUnit(t, c, show.Name(theirs.Structure), f.Program(theirs.Structure).Language, c.Cost(theirs).Center, known(c, c.Loop(theirs)),
				show.Name(ours.Structure), c.Cost(ours).Center, known(c, c.Loop(ours)), TimesOf(c.Ratio(ours, theirs)), TimesOf(c.Net(ours, theirs)))
		}
	}
	return t
}

// known is the median of a row that may be missing.
func known(c *stats.Costs, row *results.Row) any {
	if row == nil {
		return nil
	}
	return c.Cost(row).Center
}

// TimesOf returns a ratio with its interval.
func TimesOf(r stats.Estimate) show.Cell {
	switch {
	case !r.OK() || r.Lo == r.Hi:
		return ratio(r)
	case !show.Narrow(r.Lo, r.Hi):
		return ratio(r).With("interval not known")
	}
	return ratio(r).With(show.Interval(r.Lo, r.Hi, show.Times, " to "))
}

// languages compares programs that declare the same structure in several languages.
func (f *programView) languages() []*show.Table {
	same := make(map[string][]*results.External)
	for i := range f.External {
		p := &f.External[i]
		same[p.Version] = append(same[p.Version], p)
	}
	var out []*show.Table
	for _, version := range slices.Sorted(maps.Keys(same)) {
		list := same[version]
		if !slices.ContainsFunc(list, func(p *results.External) bool { return p.Language != list[0].Language }) {
			continue
		}
		names := mapped(list, func(p *results.External) string { return p.Name })
		t := newTable("lr", append([]string{version}, names...)...)
		t.Structures = append(make([]string, 1), names...)
		for _, g := range f.groups {
			for _, above := range []bool{false, true} {
				if line := f.languageLine(g, list, above); line != nil {
					t.Add(line...)
				}
			}
		}
		out = append(out, t)
	}
	return out
}

// languageLine compares programs with the first of them over the cells of a group, raw or above their floors. It
// returns nil if no program shares a cell with the first.
func (f *programView) languageLine(g cellGroup, list []*results.External, above bool) []any {
	cost := func(c *stats.Costs, p *results.External) float64 {
		row := c.Row(p.Name)
		if !row.HasCost() {
			return 0
		}
		floor := c.Loop(row)
		switch {
		case !above:
			return c.Cost(row).Center
		case floor == nil:
			return 0
		}
		return c.Cost(row).Center - c.Cost(floor).Center
	}
	line, compared := []any{g.among + when(above, ", above the floors")}, false
	for i, p := range list {
		logs, cells := 0.0, 0
		for _, c := range g.cells {
			if a, b := cost(c, list[0]), cost(c, p); a > 0 && b > 0 {
				logs, cells = logs+math.Log(b/a), cells+1
			}
		}
		if cells == 0 {
			line = append(line, nil)
			continue
		}
		times := math.Exp(logs / float64(cells))
		line, compared = append(line, show.Number(times, show.Times(times))), compared || i > 0
	}
	if !compared {
		return nil
	}
	return line
}

func (v *View) programs() *show.Table {
	t := newTable("llllrrrrl", "Program", "Language", "Structure", "Calls", "Clock ns", "Wake-up ns", "Collected",
		"Compiled", "More")
	for _, p := range v.External {
		calls := show.Joined(", ", when(p.Inlined, "inlined"), when(p.Virtual, "back by pointer"))
		more := show.Joined("; ", p.Note, when(p.Coarse, "fires late, within its bound"), when(p.Limit > 0, "up to "+short(p.Limit)+" timers"))
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

// intrusive compares structures whose timers are fields of the caller's structs with those by ID. All other rankings leave
// them out, because only the caller knows whether they fit.
func intrusive(v *View) Section {
	s := Section{Title: "What if the timer can be a field of your struct?"}
	cells := withIntrusive(v.Cells, 0)
	if len(cells) == 0 {
		return s
	}
	few := fmt.Sprintf("With up to %s timers, ", show.Grouped(results.TypicalN))
	s.Lead = show.Para("These structures link timers that are fields of your own structs. They need no ID, no table and no copy of a value. ",
		gain(few, withIntrusive(v.Cells, results.TypicalN)), gain("With more timers, ", withIntrusive(v.Cells, -results.TypicalN)),
		"In return you must not copy a pending timer, and a timer that fired and was scheduled again looks like the first, where a stale ID is refused.")
	s.Tables = []Table{v.idTable()}
	return s
}

// withIntrusive returns the cells with intrusive structures: those of at most n timers, of more than -n, or with 0 all.
func withIntrusive(cells []*stats.Costs, n int) []*stats.Costs {
	return slices.DeleteFunc(slices.Clone(cells), func(c *stats.Costs) bool {
		return n > 0 && c.N > n || n < 0 && c.N <= -n || !slices.ContainsFunc(c.Rows, func(r *results.Row) bool {
			return r.Role == results.RoleIntrusive && c.ToBest(r).OK()
		})
	})
}

// gain compares the best intrusive structure with the default over cells, in a sentence.
func gain(among string, cells []*stats.Costs) []show.Span {
	ranked := answer.Embedded(cells, answer.Default)
	if len(ranked) == 0 {
		return nil
	}
	return show.Line(among, show.Mono(ranked[0].Name), fmt.Sprintf(" takes %s times as long as ", show.Times(ranked[0].Typical)),
		show.Mono(answer.Default), fmt.Sprintf(" (geometric mean over %s). ", show.Count(len(cells), "cell")))
}

// idTable says what the ID costs: the fastest structure by ID against the fastest intrusive one.
func (v *View) idTable() Table {
	t := newTable("lrlrrlrrr", "Workload", "N", "Fastest by ID", "ns", "Floor", "Fastest intrusive", "ns", "Floor", "Times as long as by ID")
	for _, c := range withIntrusive(v.Cells, 0) {
		byID := c.Fastest()
		best := c.Row(answer.Embedded([]*stats.Costs{c}, byID.Structure)[0].Name)
		addUnit(t, c, show.Name(byID.Structure), c.Cost(byID).Center, known(c, c.Row(results.Floor)), show.Name(best.Structure), c.Cost(best).Center,
			known(c, c.Row(results.IntrusiveFloor)), TimesOf(c.Ratio(best, byID)))
	}
	if len(t.Rows) == 0 {
		return Table{}
	}
	return Table{
		Lead:  show.Para(show.Strong("What an ID costs."), " The fastest structure by ID and the fastest one whose timers are fields, each with the floor of its loop."),
		Title: "What an ID costs", Body: show.Tables(t),
	}
}
