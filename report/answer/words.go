package answer

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/timerbench/timerbench/bench/price"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// figureOf writes the figure of a structure that matters; empty: there are several.
func (f *field) figureOf(name string) string {
	if len(f.figures) > 1 {
		return ""
	}
	switch value := f.figures[0](name).Center; f.q.By {
	case Time:
		return show.Figure(value) + " ns per " + unit(f.cells[0].Unit)
	case Tail:
		return show.Duration(value) + " (99th percentile of the slowest kind of call)"
	case Memory:
		return show.Figure(value) + " bytes per timer"
	case Idle:
		return show.Figure(value) + " wake-ups for each timer that fires"
	default:
		return show.Duration(value) + " for the longest call"
	}
}

func unit(u script.Unit) string {
	if u == script.PerLifecycle {
		return "timer"
	}
	return string(u)
}

// take says what to take, and how it compares with the best, or with the default.
func (a *Adviser) take(f *field, x *Answer) string {
	out := "Take " + show.Joined(": ", x.Named, f.figureOf(x.Named)) + "."
	best, ties := f.names[0], len(x.Ties)-1
	less := func(of, to string) string {
		return fmt.Sprintf("%s times %s", Times(f.ratio(of, to)), map[By]string{
			Time: "its time", Tail: "its tail", Memory: "its bytes", Idle: "its wake-ups", Longest: "its longest call"}[f.q.By])
	}
	switch {
	case len(f.names) == 1:
		out += " Nothing else was measured for this question."
	case x.Named == best && ties > 0:
		tie := "one structure ties"
		if ties > 1 {
			tie = fmt.Sprintf("%d structures tie", ties)
		}
		out += fmt.Sprintf(" It is the best, and %s with it (%s).", tie, show.Some(x.Ties[1:], listed))
	case x.Named == best:
		out += fmt.Sprintf(" It is the best; next is %s with %s.", f.names[1], less(f.names[1], x.Named))
	case slices.Contains(x.Ties, x.Named):
		out += fmt.Sprintf(" It ties with the best, %s: %s.", best, less(x.Named, best))
	default:
		out += fmt.Sprintf(" The best is %s, and %s has %s, which is not certainly above %s.", best, x.Named, less(x.Named, best), show.Times(stats.NamedUpTo))
	}
	if usual := slices.Contains(f.names, Default); usual && x.Named != Default && (x.Named != best || ties != 0 || f.names[1] != Default) {
		out += fmt.Sprintf(" %s has %s.", Default, less(Default, x.Named))
	}
	if p := f.cells[0]; f.q.By == Time && len(f.cells) == 1 {
		if groups := p.Cost(p.Row(x.Named)).Groups; groups[1] > 0 {
			out += fmt.Sprintf(" Its rounds fall into two groups, of %s and %s ns.", show.Figure(groups[0]), show.Figure(groups[1]))
		}
	}
	if f.group == Late {
		e, _ := a.r.Entry(x.Named)
		out += fmt.Sprintf(" It fires late%s.", show.When(e.Late != "", " by "+e.Late))
	}
	return out
}

// listed is how many names a sentence lists (chosen).
const listed = 3

// from says which cells answer, and how they differ from the question.
func (f *field) from(x *Answer) string {
	if f.count.n > 0 {
		out := fmt.Sprintf("Measured among %s (%s).", timers(float64(f.count.n)), show.Some(f.count.in, listed))
		if f.q.N > 0 && x.Off() > 0.05 {
			out += " That is not the question: it was measured for no nearer number."
		}
		return out
	}
	var names, differs []string
	for _, c := range x.Cells {
		names = append(names, fmt.Sprintf("%s with %s", c.Workload, timers(float64(c.N))))
		if c.Differs != "" && !slices.Contains(differs, c.Differs) {
			differs = append(differs, c.Differs)
		}
	}
	out := fmt.Sprintf("From %s: %s.", show.Count(len(names), "cell"), show.Some(names, listed))
	if len(names) > 1 {
		out += " A ratio is the middle one of these cells."
	}
	if len(differs) > 0 {
		out += fmt.Sprintf(" That is not the question: %s.", show.Some(differs, listed))
	}
	return out
}

// leastCore is the share of a core below which no structure of timers matters (chosen).
const leastCore = 0.01

// matters says what package time, the driver and the structure take of a core at the rate of the question. Without a rate it says
// below which rate package time takes next to nothing. It is empty if nothing is known.
func (a *Adviser) matters(f *field, named string) string {
	own, driven, on := a.prices(f.q.N, named)
	cancel, share := f.q.Cancel, ""
	if cancel == Unknown {
		cancel = middle(f.cells, func(p place) stats.Estimate { return exactly(p.CancelRate) }).Center
		share = show.When(len(f.cells) > 1, " if "+percent(cancel)+" are cancelled")
	}
	ofCore := func(list price.List, timers, moves float64) float64 {
		calls := price.Calls{Stopped: timers * cancel, Moved: moves, Fired: timers * (1 - cancel)}
		return price.Median(list, func(p price.Price) float64 { return p.Of(calls, false) / 1e9 })
	}
	rate := f.q.Rate
	if rate == (Rate{}) {
		if len(own) == 0 || !(ofCore(own, 1, 0) > 0) {
			return ""
		}
		return fmt.Sprintf("Keep package time up to about %s timers a second%s: they take less than %s of a core.",
			show.Short(leastCore/ofCore(own, 1, 0)), share, show.Percent(leastCore))
	}
	switch {
	case rate.Calls > 0:
	case f.q.Reschedule >= 0.5 || f.q.Program != "" && f.cells[0].Unit == script.PerReschedule: // the rate is mostly of moves
		rate.Timers = 0
	default:
		rate.Moves = 0
	}
	var parts []string
	if len(own) > 0 {
		parts = append(parts, "package time takes "+ofCores(ofCore(own, rate.Timers, rate.Moves)))
	}
	if len(driven) > 0 {
		parts = append(parts, fmt.Sprintf("the driver on %s %s", on, ofCores(ofCore(driven, rate.Timers, rate.Moves))))
	}
	perSecond, what := f.unitsPerSecond(rate)
	if p := f.cells[0]; perSecond > 0 && len(f.cells) == 1 && p.Row(named).HasCost() {
		parts = append(parts, fmt.Sprintf("%s itself %s", named, ofCores(perSecond*p.Cost(p.Row(named)).Center/1e9)))
	}
	if len(parts) == 0 {
		return ""
	}
	out := fmt.Sprintf("At %s a second%s, %s.", what, show.When(rate.Timers > 0, share), show.And(parts))
	if len(own) > 0 && ofCore(own, rate.Timers, rate.Moves) < leastCore {
		out += " Keep package time."
	}
	return out
}

// unitsPerSecond returns how many units of the cost of the cell a program makes per second, and its rate in words.
func (f *field) unitsPerSecond(rate Rate) (units float64, what string) {
	p := f.cells[0]
	switch {
	case rate.Calls > 0:
		return rate.Calls / p.perUnit, show.Short(rate.Calls) + " calls"
	case rate.Timers > 0 && p.Unit == script.PerLifecycle:
		units = rate.Timers
	case rate.Moves > 0 && p.Unit == script.PerReschedule:
		units = rate.Moves
	}
	if rate.Timers > 0 {
		return units, show.Short(rate.Timers) + " timers"
	}
	return units, show.Short(rate.Moves) + " moves"
}

// prices returns the prices of package time and of the driver, among the nearest number of timers, and the structure of that driver:
// the named one, or else the default.
func (a *Adviser) prices(n float64, named string) (own, driven price.List, on string) {
	l := a.r.Live
	if l == nil {
		return nil, nil, ""
	}
	if n == 0 {
		n = results.TypicalN
	}
	at, least := 0, 0.0
	for _, resident := range l.Residents() {
		if d := decades(float64(resident), n); at == 0 || d < least {
			at, least = resident, d
		}
	}
	own = price.Of(l, at, "", results.FormAfterFunc)
	for _, on = range []string{named, Default} {
		if driven = price.Of(l, at, on, results.FormAfterFunc); len(driven) > 0 {
			return own, driven, on
		}
	}
	return own, nil, ""
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
