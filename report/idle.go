package report

import (
	"cmp"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// idle says on how many wake-ups nothing fires.
func idle(v *view) section {
	return section{
		title:  "How often does a structure wake up for nothing?",
		absent: "idle wake-ups",
		charts: []*draw.Figure{v.idleChart()},
		caption: "A _ticking_ driver wakes at every tick, a _tickless_ one at the tick that `Next` names. " +
			"An idle wake-up fires nothing: it was _empty_ (nothing was done), _only moved_ timers (cascades, rounds still to go) or " +
			"_only dropped_ stale entries of cancelled timers.",
		tables: []table{{title: "Wake-ups and work, over " + v.idleScope(), body: v.idleTable()}},
	}
}

// cause is why a wake-up fired nothing.
type cause struct {
	name  string
	of    func(results.Idle) uint64
	white float64 // how far its shade goes to white
}

var causes = []cause{
	{"only dropped stale entries", func(i results.Idle) uint64 { return i.Dropped }, 0},
	{"only moved timers", func(i results.Idle) uint64 { return i.Moved }, 0.38},
	{"empty: nothing was done", func(i results.Idle) uint64 { return i.Empty }, 0.72},
}

// idleCase is the workload of some of the idle counts. Counts of different cases cannot be
// compared.
type idleCase struct {
	workload, distribution string
	n                      int
}

// idleCases returns all cases, in the order of the results.
func (v *view) idleCases() []idleCase {
	var out []idleCase
	for _, i := range v.r.Idle {
		if s := (idleCase{i.Workload, i.Distribution, i.N}); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// largestIdleCases returns the idleCase with the largest N for each workload and
// distribution.
func (v *view) largestIdleCases() []idleCase {
	var out []idleCase
	for _, s := range v.idleCases() {
		same := func(o idleCase) bool { return o.workload == s.workload && o.distribution == s.distribution }
		if i := slices.IndexFunc(out, same); i < 0 {
			out = append(out, s)
		} else if s.n > out[i].n {
			out[i] = s
		}
	}
	return out
}

// drivers in the order of charts: the one that wakes most first.
func (v *view) drivers() []results.Driver {
	var out []results.Driver
	for _, i := range v.r.Idle {
		if !slices.Contains(out, i.Driver) {
			out = append(out, i.Driver)
		}
	}
	order := map[results.Driver]int{results.Ticking: -2, results.Tickless: -1}
	slices.SortStableFunc(out, func(a, b results.Driver) int { return cmp.Compare(order[a], order[b]) })
	return out
}

// idleSum adds the counts of a structure up over the cases. ok is false if it lacks one.
func (v *view) idleSum(d results.Driver, structure string) (sum results.Idle, ok bool) {
	cases := v.largestIdleCases()
	found := 0
	for _, i := range v.r.Idle {
		if i.Driver != d || i.Structure != structure || !slices.Contains(cases, idleCase{i.Workload, i.Distribution, i.N}) {
			continue
		}
		found++
		sum.Ticks, sum.Wakeups, sum.Fired = sum.Ticks+i.Ticks, sum.Wakeups+i.Wakeups, sum.Fired+i.Fired
		sum.Empty, sum.Moved, sum.Dropped = sum.Empty+i.Empty, sum.Moved+i.Moved, sum.Dropped+i.Dropped
		w := &sum.Work
		w.SlotsVisited, w.EmptySlots, w.Moved = w.SlotsVisited+i.Work.SlotsVisited, w.EmptySlots+i.Work.EmptySlots, w.Moved+i.Work.Moved
		w.Dropped, w.Comparisons = w.Dropped+i.Work.Dropped, w.Comparisons+i.Work.Comparisons
	}
	return sum, found == len(cases)
}

// idleScope says what the counts are over.
func (v *view) idleScope() string {
	var shapes []string
	var sizes []int
	for _, c := range v.largestIdleCases() {
		if c.distribution != "" && !slices.Contains(shapes, c.distribution) {
			shapes = append(shapes, c.distribution)
		}
		sizes = append(sizes, c.n)
	}
	slices.Sort(sizes)
	out := "N = " + shortList(slices.Compact(sizes))
	if len(shapes) > 0 {
		out += ", delays " + andList(shapes)
	}
	return out
}

// idleRows are the contenders of the idle analysis.
func (v *view) idleRows() []contender {
	return v.present(func(who contender) bool {
		return slices.ContainsFunc(v.r.Idle, func(i results.Idle) bool { return i.Structure == who.name })
	})
}

// idleChart shows the share of wake-ups on which nothing fires, by cause, a panel for each
// driver, over all shapes of delays at the largest N. Shares and not counts, so that the
// axis is linear and a stack adds up; the counts, zeros too, stand beside the bars. Nil:
// nothing was counted.
func (v *view) idleChart() *draw.Figure {
	rows := v.byMerit(v.idleRows())
	if len(rows) == 0 {
		return nil
	}
	last := func(who contender) uint64 {
		drivers := v.drivers()
		sum, _ := v.idleSum(drivers[len(drivers)-1], who.name)
		return sum.Total()
	}
	slices.SortStableFunc(rows, func(a, b contender) int { return cmp.Compare(last(a), last(b)) })
	f := &draw.Figure{
		Name: "idle",
		Subtitle: "What it says: idle wake-ups, on which no timer fires, as a share of all wake-ups, split by cause. Lower (shorter) is better. " +
			"Over " + v.idleScope() + ".",
		Caption: "What it does not say: how long a wake-up takes. Exact counts, the same on any machine. " +
			"Numbers: idle wake-ups of all wake-ups; a structure without a bar had none.",
		Height: draw.RowsHeight(len(rows)) + 6,
	}
	for _, c := range causes {
		f.Legend = append(f.Legend, draw.Key{Text: c.name, Swatch: draw.Pale(draw.Faded, c.white)})
	}
	var line []*draw.Panel
	for col, d := range v.drivers() {
		p := draw.NewPanel(string(d) + " driver")
		p.LinearX("idle wake-ups as a share of all wake-ups", 1.46, draw.TicksAt([]float64{0, 0.25, 0.5, 0.75, 1}, percent))
		p.Rows(v.looksOf(rows))
		if col > 0 {
			p.UnnamedY()
		}
		for i, who := range rows {
			at := draw.RowAt(i, len(rows))
			if counts, ok := v.idleSum(d, who.name); ok {
				p.Add(idleBar(counts, at, v.looks[who.name]))
			} else {
				p.Add(draw.Bar{At: at, Label: "not counted", LabelAt: 1.44})
			}
		}
		line = append(line, p)
	}
	f.Panels = [][]*draw.Panel{line}
	return f
}

func idleBar(counts results.Idle, at float64, look draw.Look) draw.Bar {
	b := draw.Bar{Look: look, At: at, LabelAt: 1.44,
		Label: short(float64(counts.Total())) + " of " + short(float64(counts.Wakeups))}
	b.Title = b.Label + " wake-ups are idle"
	if counts.Wakeups == 0 {
		return b
	}
	for _, c := range causes {
		b.Parts = append(b.Parts, draw.Part{Length: float64(c.of(counts)) / float64(counts.Wakeups), Color: draw.Pale(look.Color, c.white)})
	}
	return b
}

// idleTable shows the wake-ups of the structures by cause, and the work behind them.
func (v *view) idleTable() string {
	var rows [][]string
	for _, d := range v.drivers() {
		for _, who := range v.byMerit(v.idleRows()) {
			i, ok := v.idleSum(d, who.name)
			if !ok {
				continue
			}
			rows = append(rows, []string{literal(who.name), literal(string(d)), count(i.Ticks), count(i.Wakeups), count(i.Fired), count(i.Total()),
				count(i.Empty), count(i.Moved), count(i.Dropped),
				count(i.Work.SlotsVisited), count(i.Work.EmptySlots), count(i.Work.Moved), count(i.Work.Dropped), count(i.Work.Comparisons)})
		}
	}
	return markdownTable("llr", []string{"Structure", "Driver", "Ticks", "Wake-ups", "Fired", "Idle wake-ups", "empty", "only moved", "only dropped",
		"Slots visited", "of these empty", "Timers moved", "Stale dropped", "Comparisons"}, rows)
}
