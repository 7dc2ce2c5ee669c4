package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// after returns the words of an answer that follow the name, up to the end of the sentence.
func (a *Answer) after() string {
	named := a.Of(a.Name)
	if a.Name == Default && a.Evidence[0].tooFar() {
		return ", the default, because no cell of the results is near this question."
	}
	var b strings.Builder
	if e := a.Evidence[0]; named.NS > 0 && len(a.Matters.names()) == 0 {
		fmt.Fprintf(&b, ", %s ns per %s", show.Figure(named.NS), unit(e.Unit))
		if len(a.Evidence) > 1 || e.Distance > Measured {
			fmt.Fprintf(&b, " in %s with %s", e.Workload, timers(float64(e.N)))
		}
	}
	if usual := a.Of(Default); usual != nil && a.Name != Default {
		what := " times as fast as " + Default
		if len(a.Matters.names()) > 0 {
			what = " times better than " + Default
		}
		if b.WriteString(", " + multiple(usual.Times) + what); usual.Candidate() {
			b.WriteString(", but not certainly")
		}
	}
	switch others := len(a.Candidates) - 1; {
	case !slices.Contains(a.Candidates, a.Name):
		fmt.Fprintf(&b, "; %s takes %s times as long", a.Ranking[0].Structure, apart(a.Ranking[0].Times))
	case others > 0:
		fmt.Fprintf(&b, "; %s cannot be told apart from it", show.Count(others, "other"))
	}
	return b.String() + "."
}

// rest returns the other sentences of an answer.
func (a *Answer) rest() string {
	var out []string
	if late := a.Of(a.Name).Late; late != "" {
		out = append(out, fmt.Sprintf("%s is late by %s.", a.Name, late))
	}
	switch {
	case len(a.Ranking) == 1:
		out = append(out, "Nothing else was measured.")
	case a.Next != nil && !a.Evidence[0].tooFar():
		what := " times as long."
		if len(a.Matters.names()) > 0 {
			what = " times its score."
		}
		out = append(out, fmt.Sprintf("Next: %s, %s%s", a.Next.Structure, multiple(a.Next.Times), what))
	}
	if len(a.Intrusive) > 0 {
		best := a.Intrusive[0]
		out = append(out, fmt.Sprintf("If the timer can be a field of your struct: %s, %s times as long.", best.Structure, apart(best.Times)))
	}
	return strings.Join(out, " ")
}

// apart writes the interval of a multiple, or its center if there is no interval.
func apart(i stats.Interval) string {
	if !show.Narrow(i.Lo, i.Hi) || show.Times(i.Lo) == show.Times(i.Hi) {
		return show.Times(i.Center)
	}
	return show.Interval(i.Lo, i.Hi, show.Times, " to ")
}

// multiple writes the interval of a multiple of 1 or more, or its center if there is no interval above 1.
func multiple(i stats.Interval) string {
	if i.Lo <= 1 {
		i.Lo = 0 // it is not known
	}
	return apart(i)
}

func unit(u script.Unit) string {
	if u == script.PerLifecycle {
		return "timer"
	}
	return string(u)
}

// Words describes the question in the words of the sentence of its answer.
func (q Question) Words() string {
	parts := []string{"about " + timers(q.N)}
	switch {
	case q.Reschedule == Unknown && q.Cancel == Unknown:
		parts = append(parts, "any share cancelled or moved")
	case q.Reschedule > 0 && q.Cancel > 0:
		parts = append(parts, fmt.Sprintf("%s of the calls move a timer, %s of the timers cancelled", show.Percent(q.Reschedule), show.Percent(q.Cancel)))
	case q.Reschedule > 0:
		parts = append(parts, show.Percent(q.Reschedule)+" of the calls move a timer")
	case q.Cancel == Unknown:
		parts = append(parts, "any share cancelled, none moved")
	case q.Cancel == 0:
		parts = append(parts, "none cancelled")
	default:
		parts = append(parts, show.Percent(q.Cancel)+" cancelled")
	}
	parts = append(parts, cmp.Or(q.Delays, "any")+" delays")
	if q.Late {
		parts = append(parts, "late firing allowed")
	}
	if names := q.Matters.names(); len(names) > 0 {
		parts = append(parts, "by "+show.And(names))
	}
	return strings.Join(parts, ", ")
}

// far describes how the cell differs from the question; empty: the cell is the question itself. For a program that is not
// recorded it also says how to measure the program.
func (e Evidence) far(recorded bool) string {
	if e.Distance <= Measured {
		return ""
	}
	is := "near"
	if e.tooFar() {
		is = "far from"
	}
	out := fmt.Sprintf("This was not measured. The nearest cell, %s with %s, is %s it: %s.",
		e.Workload, timers(float64(e.N)), is, cmp.Or(e.Differs, "everything differs a little"))
	if e.tooFar() {
		out += fmt.Sprintf(" %s is the fastest there.", e.Fastest)
	}
	if !recorded {
		out += " To measure your own program, record it and use timerbench trace replay."
	}
	return out
}

func differs(q, c place) string {
	more, wakes := "more", show.Figure(c.PerWake)+" calls a wake-up"
	if c.N < q.N {
		more = "fewer"
	}
	if c.PerWake >= mostPerWake {
		wakes = "1,000 calls or more a wake-up"
	}
	var out []string
	for _, d := range []struct {
		is    bool
		words string
	}{
		{decades(q.N, c.N) >= 0.1, fmt.Sprintf("%s times %s timers", show.Times(math.Pow(10, decades(q.N, c.N))), more)},
		{q.Cancel != Unknown && math.Abs(q.Cancel-c.Cancel) >= 0.02 && min(q.Reschedule, c.Reschedule) < 0.9, show.Percent(c.Cancel) + " cancelled"},
		{q.Reschedule != Unknown && math.Abs(q.Reschedule-c.Reschedule) >= 0.02, show.Percent(c.Reschedule) + " of the calls move a timer"},
		{q.PerWake > 0 && decades(min(q.PerWake, mostPerWake), c.PerWake) >= 0.3, wakes},
		{q.Delays != "" && q.Delays != c.Delays, cmp.Or(c.Delays, "mixed") + " delays"},
		{q.Delays == "" && c.Recorded && !q.Recorded, "the delays of one program"},
	} {
		if d.is {
			out = append(out, d.words)
		}
	}
	return strings.Join(out, ", ")
}

func timers(n float64) string {
	if n >= 1e6 {
		return show.Figure(n/1e6) + " million timers"
	}
	return show.Count(int64(math.Round(n)), "timer")
}

// underRealClock compares the driver on a structure with Go's own timers, among the nearest number of timers that was measured;
// empty: none is near.
func (a *Adviser) underRealClock(q Question, name string) string {
	l := a.r.Run.Live
	if l == nil {
		return ""
	}
	distance := func(n int) float64 { return math.Abs(math.Log10(q.N / float64(n))) }
	near := slices.DeleteFunc(l.Residents(), func(n int) bool { return distance(n) > 0.5 })
	if len(near) == 0 {
		return ""
	}
	n := slices.MinFunc(near, func(a, b int) int { return cmp.Compare(distance(a), distance(b)) })
	base, _ := l.OnDriver(n, "")
	row, _ := l.OnDriver(n, name)
	times := func(op results.Op) float64 {
		return stats.LiveRelative(row, base, op, l.Goroutines[0], results.LiveThroughput.OpNS)
	}
	stop, move, fire := times(results.StartStop(results.FormAfterFunc)), times(results.OpReset), times(results.OpFire)
	if math.IsNaN(stop + move + fire) {
		return ""
	}
	out := fmt.Sprintf("Under the real clock among %s timers, the driver on %s takes %s times the processor time of Go's own timers to start and stop a timer, "+
		"%s to move it, and %s until it fires.", show.Grouped(n), name, show.Times(stop), show.Times(move), show.Times(fire))
	core := func(structure string) float64 {
		calls := stats.Calls{Stopped: q.Rate.Timers * q.Cancel, Moved: q.Rate.Moves, Fired: q.Rate.Timers * (1 - q.Cancel)}
		return stats.MedianOf(stats.PricesOf(l, n, structure, results.FormAfterFunc), func(p stats.Price) float64 { return p.Of(calls, false) / 1e9 })
	}
	if own, driven := core(""), core(name); q.Rate.Calls > 0 && q.Cancel != Unknown && own+driven > 0 {
		out += fmt.Sprintf(" The calls of this program, without its wake-ups, take %s there, and %s with Go's own timers.", ofCores(driven), ofCores(own))
	}
	return out
}

// Rate is the number of events per second of a program, for each unit of cost. 0: not known.
type Rate struct {
	Timers float64 `json:"timers"` // timers started
	Moves  float64 `json:"moves"`  // timers moved
	Calls  float64 `json:"calls"`  // timers started, moved, cancelled or fired; if it is known, the others do not count
}

// of returns the events per second for a cell, their name in the plural, and the units of the cell's cost in one.
func (r Rate) of(e Evidence) (perSecond float64, what string, units float64) {
	switch {
	case r.Calls > 0:
		return r.Calls, "calls", 1 / e.calls
	case e.Unit == script.PerLifecycle:
		return r.Timers, "timers", 1
	case e.Unit == script.PerReschedule:
		return r.Moves, "moves", 1
	}
	return 0, "", 0
}

// leastCores is the smallest difference in cores that matters (chosen).
const leastCores = 0.1

// worth compares the named structure with the default, or the default with the next one, in cores and memory, at the rate of the
// question. It is empty where the rate or the cost is not known.
func (a *Answer) worth() string {
	first, other := a.Of(a.Name), a.Of(a.Against)
	rate, what, units := a.Rate.of(a.Evidence[0])
	if rate == 0 || first.NS == 0 || other == nil {
		return ""
	}
	cores := func(s *Ranked) float64 { return rate * units * first.NS / 1e9 * s.Cost / first.Cost }
	takes := func(s *Ranked) string {
		out := ofCores(cores(s))
		if s.Bytes > 0 {
			out += " and " + show.Bytes(a.N*s.Bytes)
		}
		return out
	}
	difference := max(cores(first)-cores(other), cores(other)-cores(first))
	if show.Figure(rate) == "1" {
		what = strings.TrimSuffix(what, "s")
	}
	out := fmt.Sprintf("At %s %s a second, %s takes %s, and %s %s: ", show.Figure(rate), what, first.Structure, takes(first),
		other.Structure, takes(other))
	if difference < leastCores {
		return out + "the difference is too small to matter."
	}
	return out + "a difference of " + ofCores(difference) + "."
}

// rival returns the structure that the choice is measured against: the default, or the next one, or any other; empty: there is
// no other.
func (a *Answer) rival() string {
	switch {
	case a.Name != Default && a.Of(Default) != nil:
		return Default
	case a.Next != nil:
		return a.Next.Structure
	}
	for _, s := range a.Ranking {
		if s.Structure != a.Name {
			return s.Structure
		}
	}
	return ""
}

// ofCores writes a number of cores with two digits.
func ofCores(cores float64) string {
	cores, _ = strconv.ParseFloat(strconv.FormatFloat(cores, 'g', 2, 64), 64)
	switch {
	case cores < 1:
		return show.Percent(cores) + " of a core"
	case cores == 1:
		return "1 core"
	}
	return show.Figure(cores) + " cores"
}
