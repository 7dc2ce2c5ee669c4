package section

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
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
	s.Lead = f.lead() + "Programs of other languages replayed the same blocks in the same rounds, and what they " +
		"did was proved as it is of the structures. Each timed itself; its loop, its calls and its language are part of its time. " +
		"A library that reads a clock got a virtual one."
	for _, g := range f.groups() {
		s.Charts = append(s.Charts, f.chart(g))
	}
	s.Tables = []Table{
		{Title: "The fastest program and the fastest structure here", Body: f.duels(), Main: true, Open: true},
		{
			Lead: "**The language.** The same structure, written in the same way in several languages: the median time as a " +
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
	t := newTable("lrllrlrr", "Workload", "N", "Fastest program", "Language", "ns", "Fastest structure here", "ns",
		"Times as long as the program")
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
			ratio := ours.Beside(theirs)
			words := times(ratio)
			if ratio.Bounded() {
				words += fmt.Sprintf(" (%s to %s)", show.Times(ratio.Lo), show.Times(ratio.Hi))
			}
			t.add(c.Workload+perUnit(c), size(c.N), theirs.Structure, language, theirs.Cost().Median,
				ours.Structure, ours.Cost().Median, words)
		}
	}
	return t.Markdown()
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
			line := []any{g.among}
			for _, p := range list {
				logs, cells := 0.0, 0
				for _, c := range g.cells {
					if a, b := c.Row(list[0].Name), c.Row(p.Name); a.HasCost() && b.HasCost() {
						logs, cells = logs+math.Log(b.Cost().Median/a.Cost().Median), cells+1
					}
				}
				if cells == 0 {
					line = append(line, nil)
					continue
				}
				line = append(line, show.Times(math.Exp(logs/float64(cells))))
			}
			t.add(line...)
		}
		out = append(out, t.Markdown())
	}
	return strings.Join(out, "\n")
}

func (f *fieldView) costs() string {
	var out []string
	for _, g := range f.groups() {
		out = append(out, f.byWorkload(g.cells, (*analysis.Row).HasCost, func(_ *analysis.Cell, r *analysis.Row) string {
			return show.Figure(r.Cost().Median)
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
