package section

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
)

func idle(v *View) Section {
	return Section{
		Title:  "How often does a structure wake up for nothing?",
		Absent: "idle wake-ups",
		Lead: show.Para(v.idleSentence()+"A ", show.Em("ticking"), " driver wakes at every tick. A ", show.Em("tickless"),
			" driver wakes at the tick that ", show.Mono("Next"), " returns. An idle wake-up fires no timer. It is ", show.Em("empty"),
			", or it ", show.Em("only moves"), " timers (cascades, remaining revolutions), or it ", show.Em("only drops"),
			" stale entries of cancelled timers."),
		Charts: []*draw.Figure{v.idleTicksChart()},
		Open:   true,
		Tables: []Table{{Title: "Wake-ups and work: " + v.idleScope(), Body: show.Tables(v.idleTable())}},
	}
}

// largestIdle returns the counts with the largest N for each workload and distribution, and the first count of each such case.
// Counts of different cases cannot be compared.
func (v *View) largestIdle() (counts, cases []results.Idle) {
	for _, i := range v.Idle {
		same := func(other results.Idle) bool {
			return other.Workload == i.Workload && other.Distribution == i.Distribution
		}
		if slices.ContainsFunc(v.Idle, func(other results.Idle) bool { return same(other) && other.N > i.N }) {
			continue
		}
		counts = append(counts, i)
		if !slices.ContainsFunc(cases, same) {
			cases = append(cases, i)
		}
	}
	return counts, cases
}

// idleSums adds up the counts of each structure that was counted in all cases.
func (v *View) idleSums(d results.Driver, of []answer.RowName) []results.Idle {
	counts, cases := v.largestIdle()
	var out []results.Idle
	for _, who := range of {
		sum, found := results.Idle{Structure: who.Name}, 0
		for _, i := range counts {
			if i.Driver != d || i.Structure != who.Name {
				continue
			}
			found++
			sum.Ticks, sum.Wakeups, sum.Fired = sum.Ticks+i.Ticks, sum.Wakeups+i.Wakeups, sum.Fired+i.Fired
			sum.Empty, sum.Moved, sum.Dropped = sum.Empty+i.Empty, sum.Moved+i.Moved, sum.Dropped+i.Dropped
			w := &sum.Work
			w.SlotsVisited, w.EmptySlots = w.SlotsVisited+i.Work.SlotsVisited, w.EmptySlots+i.Work.EmptySlots
			w.Moved, w.Dropped = w.Moved+i.Work.Moved, w.Dropped+i.Work.Dropped
			w.Comparisons += i.Work.Comparisons
		}
		if found > 0 && found == len(cases) {
			out = append(out, sum)
		}
	}
	return out
}

// idleScope names the sizes and delays of the counts.
func (v *View) idleScope() string {
	var shapes []string
	_, cases := v.largestIdle()
	for _, c := range cases {
		if c.Distribution != "" && !slices.Contains(shapes, c.Distribution) {
			shapes = append(shapes, c.Distribution)
		}
	}
	sizes := distinct(mapped(cases, func(c results.Idle) int { return c.N }))
	return "N = " + shortList(sizes) + when(len(shapes) > 0, ", delays "+show.And(shapes))
}

// idleSentence names the structures with idle wake-ups under a tickless driver.
func (v *View) idleSentence() string {
	awake := slices.DeleteFunc(v.idleSums(results.Tickless, v.Contenders), func(i results.Idle) bool { return i.Wakeups == 0 })
	idle := slices.DeleteFunc(slices.Clone(awake), func(i results.Idle) bool { return i.Total() == 0 })
	all := show.Count(len(awake), "structure")
	switch {
	case len(awake) == 0:
		return ""
	case len(idle) == 0:
		return fmt.Sprintf("Under a tickless driver, none of %s has idle wake-ups. ", all)
	}
	share := func(i results.Idle) float64 { return float64(i.Total()) / float64(i.Wakeups) }
	slices.SortStableFunc(idle, func(a, b results.Idle) int { return cmp.Compare(share(b), share(a)) })
	names := mapped(idle, func(i results.Idle) string { return fmt.Sprintf("%s in %s", i.Structure, show.Percent(share(i))) })
	return fmt.Sprintf("Under a tickless driver, %d of %s have idle wake-ups: %s of their wake-ups. ", len(idle), all, show.And(names))
}

// idleTable shows the wake-ups of the structures by cause, and the work behind them.
func (v *View) idleTable() *show.Table {
	t := newTable("llr", "Structure", "Driver", "Ticks", "Wake-ups", "Fired", "Idle wake-ups",
		"empty", "only moved", "only dropped",
		"Slots visited", "of these empty", "Timers moved", "Stale dropped", "Comparisons")
	for _, d := range []results.Driver{results.Ticking, results.Tickless} {
		for _, i := range v.idleSums(d, v.ByMerit(v.Contenders)) {
			w := i.Work
			t.Add(show.Name(i.Structure), string(d), i.Ticks, i.Wakeups, i.Fired, i.Total(), i.Empty, i.Moved, i.Dropped,
				w.SlotsVisited, w.EmptySlots, w.Moved, w.Dropped, w.Comparisons).Structure = i.Structure
		}
	}
	return t
}

func lateness(v *View) Section {
	return Section{
		Title: "How late do coarse structures fire?",
		Lead: show.Para("A coarse structure rounds deadlines up. It fires late, never early, and within its declared bound, which " +
			"was checked for every timer. All other structures fire at the exact tick. The driver is ticking."),
		Tables: []Table{{Title: "Lateness by shape of the delays", Body: show.Tables(v.latenessTable())}},
	}
}

// latenessTable shows the lateness of coarse structures for each distribution of delays.
func (v *View) latenessTable() *show.Table {
	t := newTable("llr", "Structure", "Delays", "N", "Fired", "Mean, ticks", "p99, ticks", "Max, ticks",
		"Mean, of the delay", "p99, of the delay", "Max, of the delay")
	for _, i := range v.Idle {
		if l := i.Lateness; l != nil && i.Driver == results.Ticking {
			t.Add(show.Name(i.Structure), i.Distribution, size(i.N), i.Fired, l.Mean, l.P99, l.Max,
				percent(l.MeanShare), percent(l.P99Share), percent(l.MaxShare)).Structure = i.Structure
		}
	}
	return t
}
