package section

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// field sets the programs of other languages beside the structures. All other sections rank the
// structures alone.
func field(v *View) Section {
	s := Section{Title: "How does this compare with what other languages have?"}
	f := v.field()
	if f == nil {
		return s
	}
	s.Lead = f.lead() + "Programs of other languages replayed the same blocks in the same rounds, and their answers were " +
		"proved like those of the structures. Each program timed itself. Its time includes its loop, its calls and its language; the " +
		"floor, an adapter without a structure, shows how much that is. A library that reads a clock got a virtual one."
	for _, g := range f.groups() {
		s.Charts = append(s.Charts, f.chart(g))
	}
	s.Tables = []Table{
		{
			Lead: "**The floor** is what the same loop costs without a structure: an empty adapter in the language of the program, " +
				"and `null` for the structures here. Above the floors: each cost without its floor.",
			Title: "The fastest program and the fastest structure here", Body: f.duels(), Main: true, Open: true,
		},
		{
			Lead: "**The language.** The same structure, written in the same way in several languages: the time as a " +
				"multiple of that of the first, as the geometric mean over workloads.",
			Title: "The same structure in several languages", Body: f.languages(), Open: true,
		},
		{Title: "Each in nanoseconds", Body: f.costs()},
		{
			Lead: "**The programs.** Wake-up: one on which nothing is due, with one timer pending; an event loop " +
				"does more than its structure in it. Calls: inlined into the timed loop, or back through a pointer. Collected, compiled: the " +
				"share of the time of timed blocks that a garbage collector took in them and a compiler beside them.",
			Title: "What took part", Body: f.programs(),
		},
	}
	return s
}

// fieldView ranks programs among structures.
type fieldView struct {
	*View
	ours map[string]bool // structures of the catalog or of this program
}

// field returns the view of the leading structures and all programs; nil: no program took part.
func (v *View) field() *fieldView {
	if len(v.External) == 0 || v.Measured(v.Cells...) == nil {
		return nil
	}
	ours := make(map[string]bool)
	for _, who := range v.Leaders(v.Measured(v.Cells...)) {
		ours[who.Name] = true
	}
	r := v.Run.Run.Among()
	theirs := false
	for i, c := range r.Cells {
		r.Cells[i].Rows = slices.DeleteFunc(c.Rows, func(row results.Row) bool {
			program := v.Program(row.Structure) != nil
			theirs = theirs || program
			return row.Role == results.RoleStructure && !program && !ours[row.Structure]
		})
	}
	if !theirs {
		return nil
	}
	return &fieldView{NewView(analysis.With(r, v.Known)), ours}
}

// fieldGroup is cells that stand side by side.
type fieldGroup struct {
	name, among string // "1k", "With 1k timers"
	cells       []*analysis.Cell
}

// groups are the cells in which programs were measured: the synthetic ones of each size, and the
// models of programs, which have sizes of their own.
func (f *fieldView) groups() []fieldGroup {
	cells := slices.DeleteFunc(slices.Clone(f.Cells), func(c *analysis.Cell) bool { return f.best(c, false) == nil })
	var out []fieldGroup
	add := func(name, among string, of func(*analysis.Cell) bool) {
		g := fieldGroup{name, among, slices.DeleteFunc(slices.Clone(cells), func(c *analysis.Cell) bool { return !of(c) })}
		if len(g.cells) > 0 {
			out = append(out, g)
		}
	}
	synthetic := func(c *analysis.Cell) bool { return c.Class() == analysis.Synthetic || c.Class() == analysis.Grid }
	for _, n := range sizesOf(cells) {
		add(short(n), "With "+short(n)+" timers", func(c *analysis.Cell) bool { return synthetic(c) && c.N == n })
	}
	add("models", "In models and recordings of programs", func(c *analysis.Cell) bool { return !synthetic(c) })
	return out
}

// best returns the fastest structure of a cell, of ours or of the programs; nil: none.
func (f *fieldView) best(c *analysis.Cell, ours bool) *analysis.Row {
	for _, r := range c.Ranked {
		if f.ours[r.Structure] == ours {
			return r.Row
		}
	}
	return nil
}

// lead says for each group who does best over all workloads, of the programs and of ours.
func (f *fieldView) lead() string {
	var out []string
	for _, g := range f.groups() {
		var named []string
		for _, ours := range []bool{false, true} {
			merits := f.Merits(g.cells, func(who analysis.Contender) bool {
				return who.IsStructure() && f.ours[who.Name] == ours
			})
			if len(merits) == 0 || !merits[0].Complete {
				continue
			}
			m := merits[0]
			name := "`" + m.Name + "` of timerbench"
			if p := f.Program(m.Name); p != nil {
				name = "`" + m.Name + "` (" + Literal(p.Language) + ")"
			}
			named = append(named, fmt.Sprintf("%s takes %s times as long as the fastest of each workload",
				name, show.Times(m.Typical)))
		}
		if len(named) > 0 {
			out = append(out, fmt.Sprintf("%s, %s.", g.among, strings.Join(named, ", and ")))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return strings.Join(out, " ") + " Of several workloads this is the geometric mean, and those are named " +
		"that do best in all of them.\n\n"
}

func (f *fieldView) chart(g fieldGroup) *draw.Figure {
	out := f.overviewTable(g.cells).Figure()
	out.Name = "field-" + g.name
	out.Title = g.among + ", what do others' timers cost beside these?"
	out.Subtitle = "What it says: the time per " + units(g.cells) + " as a multiple of the fastest of all, programs of other " +
		"languages and the best structures of each family here. Lower is better; 1 is the fastest."
	out.Caption = "Bold: the fastest, a tie with it, or not told apart from it. Grey: not measured, or no number without " +
		"proof. What it does not say: what the language costs, and what the structure; the tables below do."
	return out
}

// duels sets the fastest program of each cell against the fastest structure.
func (f *fieldView) duels() string {
	t := newTable("lrllrrlrrrr", "Workload", "N", "Fastest program", "Language", "ns", "Floor", "Fastest structure here", "ns",
		"Floor", "Times as long as the program", "Above the floors")
	for _, g := range f.groups() {
		for _, c := range g.cells {
			theirs, ours := f.best(c, false), f.best(c, true)
			if theirs == nil || ours == nil {
				continue
			}
			language := ""
			if p := f.Program(theirs.Structure); p != nil {
				language = p.Language
			}
			t.add(c.Workload+perUnit(c), size(c.N), theirs.Structure, language, theirs.Cost().Center, known(f.floor(c, theirs)),
				ours.Structure, ours.Cost().Center, known(f.floor(c, ours)), Beside(ours.RatioTo(theirs)), f.aboveFloors(c, ours, theirs))
		}
	}
	return t.Markdown()
}

// floor returns the row without a structure in the language of a row; nil: none took part.
func (f *fieldView) floor(c *analysis.Cell, of *analysis.Row) *analysis.Row {
	p := f.Program(of.Structure)
	for _, row := range c.Rows {
		q := f.Program(row.Structure)
		same := p == nil && q == nil || p != nil && q != nil && p.Language == q.Language
		if same && row.Role == results.RoleFloor && row.HasCost() {
			return row
		}
	}
	return nil
}

// known is the median of a row that may be missing.
func known(row *analysis.Row) any {
	if row == nil {
		return nil
	}
	return row.Cost().Center
}

// aboveFloors is the ratio of two rows, each without its floor of the same round.
func (f *fieldView) aboveFloors(c *analysis.Cell, a, b *analysis.Row) string {
	var above [2][]stats.Sample
	for i, row := range []*analysis.Row{a, b} {
		floor := f.floor(c, row)
		if floor == nil {
			return show.Unknown
		}
		if above[i] = less(row.Samples, floor.Samples); above[i] == nil {
			return "not known: " + row.Structure + " is at its floor"
		}
	}
	ratio, _ := stats.Paired(above[0], above[1], c.Options)
	return Beside(ratio)
}

// less returns costs without those of a floor in the same rounds; nil: some cost no more than that.
func less(costs, floor []stats.Sample) []stats.Sample {
	round := func(s stats.Sample) stats.Sample { s.Value = 0; return s }
	of := make(map[stats.Sample]float64)
	for _, s := range floor {
		of[round(s)] = s.Value
	}
	var out []stats.Sample
	for _, s := range costs {
		least, ok := of[round(s)]
		if !ok {
			continue
		}
		if s.Value -= least; s.Value <= 0 {
			return nil
		}
		out = append(out, s)
	}
	return out
}

// Beside is a ratio in words, with its interval if at least three units tell it.
func Beside(r stats.Ratio) string {
	unit := map[stats.Level]string{stats.Rounds: "round", stats.Instances: "instance", stats.Layouts: "layout"}[r.Level]
	switch {
	case r.Pairs == 0:
		return show.Unknown
	case r.Units == 1:
		return fmt.Sprintf("%s (interval not known: one %s)", show.Times(r.Center), unit)
	case r.Units == 2: // leaves one degree of freedom, and an interval from nothing to thousands
		return fmt.Sprintf("%s (interval not known: two %ss)", show.Times(r.Center), unit)
	case !r.Bounded():
		return show.Times(r.Center) + " (interval not known)"
	}
	return fmt.Sprintf("%s (%s to %s)", show.Times(r.Center), show.Times(r.Lo), show.Times(r.Hi))
}

// languages sets programs side by side that say that they have the same structure, in several languages.
func (f *fieldView) languages() string {
	same := make(map[string][]*results.External)
	for i := range f.External {
		p := &f.External[i]
		same[p.Version] = append(same[p.Version], p)
	}
	var out []string
	for _, version := range slices.Sorted(maps.Keys(same)) {
		list := same[version]
		if !slices.ContainsFunc(list, func(p *results.External) bool { return p.Language != list[0].Language }) {
			continue
		}
		t := newTable("lr", Literal(version))
		for _, p := range list {
			t.Header = append(t.Header, Literal(p.Name))
		}
		for _, g := range f.groups() {
			for _, above := range []bool{false, true} {
				if line := f.languageLine(g, list, above); line != nil {
					t.add(line...)
				}
			}
		}
		out = append(out, t.Markdown())
	}
	return strings.Join(out, "\n")
}

// languageLine compares programs with the first of them over the cells of a group, raw or above their
// floors; nil: two of them have no cell in common.
func (f *fieldView) languageLine(g fieldGroup, list []*results.External, above bool) []any {
	cost := func(c *analysis.Cell, p *results.External) float64 {
		row := c.Row(p.Name)
		if !row.HasCost() {
			return 0
		}
		ns := row.Cost().Center
		if floor := f.floor(c, row); above && floor != nil {
			return ns - floor.Cost().Center
		} else if above {
			return 0
		}
		return ns
	}
	line, compared := []any{g.among}, false
	if above {
		line[0] = g.among + ", above the floors"
	}
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
		line, compared = append(line, show.Times(math.Exp(logs/float64(cells)))), compared || i > 0
	}
	if !compared {
		return nil
	}
	return line
}

func (f *fieldView) costs() string {
	var out []string
	for _, g := range f.groups() {
		out = append(out, f.byWorkload(g.cells, (*analysis.Row).HasCost, func(_ *analysis.Cell, r *analysis.Row) string {
			return show.Figure(r.Cost().Center)
		}))
	}
	return strings.Join(out, "\n")
}

func (f *fieldView) programs() string {
	t := newTable("llllrrrrl", "Program", "Language", "Structure", "Calls", "Clock ns", "Wake-up ns", "Collected",
		"Compiled", "More")
	for _, p := range f.External {
		var calls []string
		if p.Inlined {
			calls = append(calls, "inlined")
		}
		if p.Virtual {
			calls = append(calls, "back by pointer")
		}
		var more []string
		for _, s := range []string{p.Note, map[bool]string{true: "fires late, within its bound"}[p.Coarse]} {
			if s != "" {
				more = append(more, s)
			}
		}
		if p.Limit > 0 {
			more = append(more, "up to "+short(p.Limit)+" timers")
		}
		t.add(p.Name, p.Language, p.Version, unless(strings.Join(calls, ", ")), p.ClockNS, p.WakeNS,
			share(p.CollectionNS, p.TimedNS), share(p.CompileNS, p.TimedNS), unless(strings.Join(more, "; ")))
	}
	return t.Markdown()
}

// share is a part of a time in percent; nothing is a dash.
func share(part, of uint64) any {
	if part == 0 || of == 0 {
		return nil
	}
	return show.Percent(math.Min(1, float64(part)/float64(of)))
}
