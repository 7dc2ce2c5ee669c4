package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// idle says on how many wake-ups nothing fires.
func idle(v *view) section {
	s := section{
		title:  "How often does a structure wake up for nothing?",
		absent: "idle wake-ups",
		charts: []*draw.Figure{v.idleChart()},
		caption: "Exact counts from a pass that is not timed. A _ticking_ driver wakes at every tick, a _tickless_ one at the tick that `Next` names. " +
			"An idle wake-up fires nothing: it was _empty_ (nothing was done), _only moved_ timers (cascades, rounds still to go) or " +
			"_only dropped_ stale entries of cancelled timers.",
	}
	for _, idleCase := range v.idleCases() {
		s.tables = append(s.tables, table{title: idleCase.String() + ": wake-ups and work", body: v.idleTable(idleCase)})
	}
	return s
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

func (s idleCase) String() string {
	var parts []string
	for _, p := range []string{s.workload, s.distribution} {
		if p != "" && !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	return fmt.Sprintf("%s, N = %s", strings.Join(parts, ", "), short(float64(s.n)))
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

func (v *view) idle(s idleCase, d results.Driver, structure string) (results.Idle, bool) {
	for _, i := range v.r.Idle {
		if i.Workload == s.workload && i.Distribution == s.distribution && i.N == s.n &&
			i.Driver == d && i.Structure == structure {
			return i, true
		}
	}
	return results.Idle{}, false
}

// idleRows are the contenders of the idle analysis.
func (v *view) idleRows() []contender {
	return v.present(func(who contender) bool {
		return slices.ContainsFunc(v.r.Idle, func(i results.Idle) bool { return i.Structure == who.name })
	})
}

// idleChart shows the share of wake-ups on which nothing fires, by cause: a
// column of panels for each driver, a row of panels for each distribution at its
// largest N. Shares and not counts, so that the axis is linear and a stack adds
// up; the counts, zeros too, stand beside the bars. Nil: nothing was counted.
func (v *view) idleChart() *draw.Figure {
	rows, idleCases := v.idleRows(), v.largestIdleCases()
	if len(rows) == 0 {
		return nil
	}
	f := &draw.Figure{
		Name:     "idle",
		Subtitle: "Idle wake-ups (on which no timer fires) as a share of all wake-ups, split by cause. Lower (shorter) is better.",
		Caption: "Exact counts, the same on any machine. A ticking driver wakes at every tick, a tickless one at the tick that Next names. " +
			"Numbers: idle wake-ups of all wake-ups; a structure without a bar had none.",
		Height: draw.Length(len(idleCases)) * (draw.RowsHeight(len(rows)) + 6),
	}
	for _, c := range causes {
		f.Legend = append(f.Legend, draw.Key{Text: c.name, Swatch: draw.Pale(draw.Faded, c.white)})
	}
	for _, s := range idleCases {
		var line []*draw.Panel
		for col, d := range v.drivers() {
			p := draw.NewPanel(fmt.Sprintf("%s driver: %s", d, s))
			p.LinearX("idle wake-ups as a share of all wake-ups", 1.42, draw.TicksAt([]float64{0, 0.25, 0.5, 0.75, 1}, percent))
			p.Rows(v.looksOf(rows))
			if col > 0 {
				p.UnnamedY()
			}
			for i, who := range rows {
				at := draw.RowAt(i, len(rows))
				if counts, ok := v.idle(s, d, who.name); ok {
					p.Add(idleBar(counts, at, v.looks[who.name]))
				} else {
					p.Add(draw.Bar{At: at, Label: "not counted", LabelAt: 1.4})
				}
			}
			line = append(line, p)
		}
		f.Panels = append(f.Panels, line)
	}
	return f
}

func idleBar(counts results.Idle, at float64, look draw.Look) draw.Bar {
	b := draw.Bar{Look: look, At: at, LabelAt: 1.4,
		Label: short(float64(counts.Total())) + " of " + short(float64(counts.Wakeups))}
	if counts.Wakeups == 0 {
		return b
	}
	for _, c := range causes {
		b.Parts = append(b.Parts, draw.Part{Length: float64(c.of(counts)) / float64(counts.Wakeups), Color: draw.Pale(look.Color, c.white)})
	}
	return b
}

// idleTable shows the wake-ups of one idleCase by cause, and the work behind them.
func (v *view) idleTable(s idleCase) string {
	var rows [][]string
	for _, d := range v.drivers() {
		for _, who := range v.idleRows() {
			i, ok := v.idle(s, d, who.name)
			if !ok {
				continue
			}
			rows = append(rows, []string{literal(string(d)), literal(who.name), count(i.Ticks), count(i.Wakeups), count(i.Fired), count(i.Total()),
				count(i.Empty), count(i.Moved), count(i.Dropped),
				count(i.Work.SlotsVisited), count(i.Work.EmptySlots), count(i.Work.Moved), count(i.Work.Dropped), count(i.Work.Comparisons)})
		}
	}
	return markdownTable("llr", []string{"Driver", "Structure", "Ticks", "Wake-ups", "Fired", "Idle wake-ups", "empty", "only moved", "only dropped",
		"Slots visited", "of these empty", "Timers moved", "Stale dropped", "Comparisons"}, rows)
}
