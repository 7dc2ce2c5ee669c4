package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
)

// idle says on how many wake-ups nothing fires.
func idle(v *view) section {
	return section{
		title:  "How often does a structure wake up for nothing?",
		absent: "idle wake-ups",
		lead: v.idleSentence() + "A _ticking_ driver wakes at every tick, a _tickless_ one at the tick that `Next` names. " +
			"An idle wake-up fires nothing: it was _empty_ (nothing was done), _only moved_ timers (cascades, rounds still to go) or " +
			"_only dropped_ stale entries of cancelled timers.",
		tables: []table{{title: "Wake-ups and work, over " + v.idleScope(), body: v.idleTable()}},
	}
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
		out += ", delays " + show.And(shapes)
	}
	return out
}

// idleRows are the contenders of the idle analysis.
func (v *view) idleRows() []contender {
	return v.present(func(who contender) bool {
		return slices.ContainsFunc(v.r.Idle, func(i results.Idle) bool { return i.Structure == who.name })
	})
}

// idleSentence says who wakes up for nothing under a driver that wakes when Next says so.
func (v *view) idleSentence() string {
	type waker struct {
		name  string
		share float64
	}
	var wakers []waker
	counted := 0
	for _, who := range v.idleRows() {
		sum, ok := v.idleSum(results.Tickless, who.name)
		if !ok || sum.Wakeups == 0 {
			continue
		}
		counted++
		if idle := sum.Total(); idle > 0 {
			wakers = append(wakers, waker{who.name, float64(idle) / float64(sum.Wakeups)})
		}
	}
	switch {
	case counted == 0:
		return ""
	case len(wakers) == 0:
		return fmt.Sprintf("Under a tickless driver, none of %s wakes up for nothing. ", plural(counted, "structure"))
	}
	slices.SortStableFunc(wakers, func(a, b waker) int { return cmp.Compare(b.share, a.share) })
	var names []string
	for _, w := range wakers {
		names = append(names, fmt.Sprintf("%s on %s", literal(w.name), show.Percent(w.share)))
	}
	return fmt.Sprintf("Under a tickless driver, %d of %s wake up for nothing at times: %s of their wake-ups. ",
		len(wakers), plural(counted, "structure"), show.And(names))
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
			rows = append(rows, []string{literal(who.name), literal(string(d)), show.Grouped(i.Ticks), show.Grouped(i.Wakeups), show.Grouped(i.Fired), show.Grouped(i.Total()),
				show.Grouped(i.Empty), show.Grouped(i.Moved), show.Grouped(i.Dropped),
				show.Grouped(i.Work.SlotsVisited), show.Grouped(i.Work.EmptySlots), show.Grouped(i.Work.Moved), show.Grouped(i.Work.Dropped), show.Grouped(i.Work.Comparisons)})
		}
	}
	return markdownTable("llr", []string{"Structure", "Driver", "Ticks", "Wake-ups", "Fired", "Idle wake-ups", "empty", "only moved", "only dropped",
		"Slots visited", "of these empty", "Timers moved", "Stale dropped", "Comparisons"}, rows)
}
