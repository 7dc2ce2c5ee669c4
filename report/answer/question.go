package answer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
)

// Question describes a program and what matters. A part that is not given matches any cell.
type Question struct {
	N          float64 `json:"n,omitempty"`       // pending timers; 0: any number
	Cancel     float64 `json:"cancel"`            // share of the timers that are cancelled before they fire, 0 to 1, or Unknown
	Reschedule float64 `json:"reschedule"`        // share of the calls that move a timer, 0 to 1, or Unknown; a call schedules, cancels, moves or fires one
	Delays     string  `json:"dist,omitempty"`    // shape of the delays, as script.Place names it; empty: any
	Program    string  `json:"program,omitempty"` // a workload of the results; empty: the grid of shares and delays
	By         By      `json:"by"`                // what matters
	Order      string  `json:"order,omitempty"`   // FIFO: only structures that fire timers of one deadline in the order of their schedules
	Late       bool    `json:"late,omitempty"`    // structures that fire late, instead of exact ones
	Rate       Rate    `json:"rate,omitzero"`     // of the program
}

// Unknown is a share that is not given: cells with any share match.
const Unknown = -1

// FIFO is the order that a question may ask for.
const FIFO = "fifo"

// By is what matters in a question.
type By string

// What may matter.
const (
	Time    By = "time"    // cost of the calls
	Tail    By = "tail"    // 99th percentile of single calls of the slowest kind
	Memory  By = "memory"  // bytes of a timer
	Idle    By = "idle"    // wake-ups of a driver that sleeps until the next deadline
	Longest By = "longest" // longest call
)

// Bys lists what may matter, the default first.
var Bys = []By{Time, Tail, Memory, Idle, Longest}

// ParseBy reads what matters.
func ParseBy(s string) (By, error) {
	if !slices.Contains(Bys, By(s)) {
		return "", fmt.Errorf("%q: want one of %s", s, show.Or(texts(Bys)))
	}
	return By(s), nil
}

func texts[T ~string](list []T) (out []string) {
	for _, v := range list {
		out = append(out, string(v))
	}
	return out
}

// Rate is the number of events of a program per second. 0: not known.
type Rate struct {
	Timers float64 `json:"timers,omitempty"` // timers started
	Moves  float64 `json:"moves,omitempty"`  // timers moved
	Calls  float64 `json:"calls,omitempty"`  // timers started, moved, cancelled or fired
}

// Check returns an error if a value is out of its range.
func (q Question) Check() error {
	switch {
	case q.N != 0 && !(q.N >= 1) || math.IsInf(q.N, 1):
		return fmt.Errorf("number of timers %v: want 1 or more", q.N)
	case q.Delays != "" && !slices.Contains(workload.DelayKinds(), q.Delays):
		return fmt.Errorf("shape of delays %q: want one of %s", q.Delays, strings.Join(workload.DelayKinds(), ", "))
	case q.Order != "" && q.Order != FIFO:
		return fmt.Errorf("order %q: want %s", q.Order, FIFO)
	case q.By != "" && !slices.Contains(Bys, q.By):
		return fmt.Errorf("%q matters: want one of %s", q.By, show.Or(texts(Bys)))
	}
	for _, rate := range []float64{q.Rate.Timers, q.Rate.Moves, q.Rate.Calls} {
		if !(rate >= 0) || math.IsInf(rate, 1) {
			return fmt.Errorf("rate %v a second: want 0 or more", rate)
		}
	}
	for i, share := range []float64{q.Cancel, q.Reschedule} {
		if !(share >= 0 && share <= 1) && share != Unknown {
			return fmt.Errorf("share %s %v: want a share from 0 to 1", [...]string{"cancelled", "moved"}[i], share)
		}
	}
	return nil
}

// place is a cell with its mix of operations.
type place struct {
	*stats.Costs
	moved   float64 // share of the calls that move a timer
	perUnit float64 // calls in a unit of the cost
	delays  string  // empty: several shapes, or not known
}

// placeOf returns the place of a cell. ok is false if its cost is no cost of calls.
func placeOf(r *Run, c *stats.Costs) (p place, ok bool) {
	p = place{Costs: c, delays: delaysOf(r, c)}
	var calls, units float64
	kinds := make(map[script.Kind]float64)
	for _, row := range c.Rows {
		for _, t := range row.Cost {
			calls, units = calls+float64(t.Ops), units+t.Units
		}
		for _, t := range row.ByKind {
			for _, k := range t.Kinds {
				kinds[k.Kind] += float64(k.Count)
			}
		}
	}
	if c.Unit == script.PerTick || calls <= 0 {
		return p, false
	}
	p.perUnit = calls / units
	switch done := kinds[script.KindSchedule] + kinds[script.KindCancel] + kinds[script.KindReschedule] + kinds[script.KindFire]; {
	case done > 0:
		p.moved = kinds[script.KindReschedule] / done
	case c.Unit == script.PerReschedule:
		p.moved = min(units/calls, 1)
	case c.Unit == script.PerLifecycle:
		p.moved = max(0, 1-2*units/calls)
	}
	return p, true
}

// delaysOf returns the shape of the delays of a cell; empty: there are several, or it is not known.
func delaysOf(r *Run, c *stats.Costs) string {
	if c.Grid != nil {
		return c.Grid.Delays
	}
	if recording, ok := r.Parameters.Traces[c.Workload]; ok {
		return recording.Delays
	}
	w, _ := r.Known.Workload(c.Workload)
	if w.Model != nil {
		if kinds := workload.Delays(w.Model); len(kinds) == 1 && kinds[0] != "mixture" {
			return kinds[0]
		}
	}
	return ""
}

// inGrid reports whether a cell answers questions that name no program: it has its place in the grid, or it moves timers at random.
func (p place) inGrid() bool {
	return p.Grid != nil || ClassOf(p.Costs) == workload.Synthetic && p.Unit == script.PerReschedule
}

// decades is the distance of two values on a logarithmic scale, in powers of ten.
func decades(a, b float64) float64 { return math.Abs(math.Log10(a / b)) }

// nearest returns the cells at the least distance.
func nearest(cells []place, distance func(place) float64) (out []place) {
	least := math.Inf(1)
	for _, c := range cells {
		switch d := distance(c); {
		case d < least-0.005:
			least, out = d, []place{c}
		case d <= least+0.005:
			out = append(out, c)
		}
	}
	return out
}

// cellsFor maps a question to the measured cells that answer it: the named program, or the cells of the grid with the nearest share
// moved, the delays asked for, the nearest share cancelled and the nearest size, in this order. What is not asked for matches any.
func (a *Adviser) cellsFor(q Question) []place {
	cells := slices.DeleteFunc(slices.Clone(a.cells), func(p place) bool { return q.Program != "" && p.Workload != q.Program })
	if q.Program == "" {
		if grid := slices.DeleteFunc(slices.Clone(cells), func(p place) bool { return !p.inGrid() }); len(grid) > 0 {
			cells = grid
		}
		if q.Reschedule != Unknown {
			cells = nearest(cells, func(p place) float64 { return math.Abs(p.moved - q.Reschedule) })
		}
		if q.Delays != "" {
			cells = nearest(cells, func(p place) float64 {
				if p.delays == q.Delays {
					return 0
				}
				return 1
			})
		}
		if q.Cancel != Unknown {
			cells = nearest(cells, func(p place) float64 { return math.Abs(p.CancelRate - q.Cancel) })
		}
	}
	if q.N > 0 {
		cells = nearest(cells, func(p place) float64 { return decades(float64(p.N), q.N) })
	}
	return cells
}

// differs says how a cell differs from a question; empty: it is the question.
func (p place) differs(q Question) string {
	more, times := "more", float64(p.N)/q.N
	if times < 1 {
		more, times = "fewer", 1/times
	}
	free := q.Program == ""
	return show.Joined(", ",
		show.When(q.N > 0 && times >= 1.1, fmt.Sprintf("%s times %s timers", show.Times(times), more)),
		show.When(free && q.Reschedule != Unknown && math.Abs(q.Reschedule-p.moved) >= 0.03, percent(p.moved)+" of the calls move a timer"),
		show.When(free && q.Cancel != Unknown && q.Reschedule < 0.9 && math.Abs(q.Cancel-p.CancelRate) >= 0.02, percent(p.CancelRate)+" cancelled"),
		show.When(free && q.Delays != "" && q.Delays != p.delays, "other delays"))
}

// percent writes a measured share in whole percent.
func percent(share float64) string { return show.Percent(math.Round(100*share) / 100) }

// Words describes the question.
func (q Question) Words() string {
	size := "any number of timers"
	if q.N > 0 {
		size = timers(q.N)
	}
	share := func(of float64, words string) string { return show.When(of != Unknown, show.Percent(of)+words) }
	return show.Joined(", ", size, q.Program, share(q.Reschedule, " of the calls move a timer"), share(q.Cancel, " cancelled"), show.When(q.Delays != "", q.Delays+" delays"),
		show.When(q.By != Time && q.By != "", "by "+string(q.By)), show.When(q.Order != "", "in FIFO order"), show.When(q.Late, "late"))
}

func timers(n float64) string {
	if n >= 1e6 {
		return show.Figure(n/1e6) + " million timers"
	}
	return show.Count(int64(math.Round(n)), "timer")
}
