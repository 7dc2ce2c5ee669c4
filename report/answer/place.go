package answer

import (
	"math"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
)

// place locates a cell or a question among the workloads. Of a cell, the question has the measured numbers; no Delays are unknown or several.
type place struct {
	Question
	firing  float64 // share of the calls that fire a timer
	perUnit float64 // calls in a unit of the cost
	still   bool    // no timer fires, and it is not known to be in a steady state
}

func (q Question) place() place {
	return place{Question: q, firing: (1 - q.Reschedule) * (1 - q.Cancel) / 2}
}

// question is the inverse.
func (q place) question() Question {
	if q.firing == 0 {
		q.Cancel = 1
	}
	return q.Question
}

// fires reports whether timers fire in a program with these shares. It is false where any share will do.
func (q Question) fires() bool {
	return q.Cancel != 1 && q.Reschedule != 1 && (q.Cancel != Unknown || q.Reschedule > 0)
}

// answers reports whether a cell says anything about a question. A cell in which nothing comes due lacks the cost of finding
// the next timer to fire, which separates a list from all other structures. With constant delays, deadlines arrive in
// their order, which some structures rely on. A cell of unknown or mixed delays answers, from some distance.
func (q place) answers(asked Question) bool {
	if q.still && asked.fires() {
		return false
	}
	return asked.Delays == "" || q.Delays == "" || (asked.Delays == workload.Constant) == (q.Delays == workload.Constant)
}

// Distances. See the documentation of the package.
const (
	Measured = 0.3 // within it a cell counts as the question itself
	TooFar   = 1.5 // beyond it a cell says little

	unitN       = 0.5  // decades
	unitFires   = 0.5  // decades
	leastFires  = 0.01 // added to the share
	unitMoved   = 0.25
	unitPerWake = 1 // decades
	mostPerWake = 1000
	otherDelays = 0.5
)

// decades is the distance of two values on a logarithmic scale, in powers of ten.
func decades(a, b float64) float64 { return math.Abs(math.Log10(a / b)) }

// distance returns the distance of a cell from a question, see the documentation of the package.
func (q place) distance(c place) float64 {
	parts := []float64{decades(q.N, c.N) / unitN}
	if q.Reschedule == Unknown { // as if both moved none
		q.firing, c.firing = (1-q.Cancel)/2, (1-c.Cancel)/2
	} else {
		parts = append(parts, (q.Reschedule-c.Reschedule)/unitMoved)
	}
	if q.Cancel != Unknown {
		parts = append(parts, decades(q.firing+leastFires, c.firing+leastFires)/unitFires)
	}
	if q.PerWake > 0 && c.PerWake > 0 {
		parts = append(parts, decades(min(q.PerWake, mostPerWake), min(c.PerWake, mostPerWake))/unitPerWake)
	}
	if q.Delays != "" && q.Delays != c.Delays || q.Delays == "" && c.Recorded && !q.Recorded {
		parts = append(parts, otherDelays)
	}
	sum := 0.0
	for _, p := range parts {
		sum += p * p
	}
	return math.Sqrt(sum)
}

// placeOf returns the place of a cell. ok is false if the cost of the cell is not a cost of calls, or is not known.
func placeOf(r *Run, c *stats.Costs) (p place, ok bool) {
	if c.Unit == script.PerTick {
		return place{}, false
	}
	p = place{Question: Question{N: float64(c.N), Cancel: c.CancelRate, Delays: delaysOf(r, c)}}
	p.Recorded = ClassOf(c) == workload.Program || ClassOf(c) == workload.Recorded
	if c.Resident >= 1 {
		p.N = c.Resident
	}
	var calls, wakes, units, fired float64
	kinds := make(map[script.Kind]float64)
	for _, row := range c.Rows {
		fired += float64(row.Proof.Fired)
		for _, t := range row.Cost {
			calls, wakes, units = calls+float64(t.Ops), wakes+float64(t.Wakes), units+t.Units
		}
		for _, t := range row.ByKind {
			for _, k := range t.Kinds {
				kinds[k.Kind] += float64(k.Count)
			}
		}
	}
	if calls <= 0 {
		return place{}, false
	}
	p.PerWake, p.perUnit = mostPerWake, calls/units
	if wakes > 0 {
		p.PerWake = min(calls/wakes, mostPerWake)
	}
	done := kinds[script.KindSchedule] + kinds[script.KindCancel] + kinds[script.KindReschedule] + kinds[script.KindFire]
	switch {
	case done > 0:
		p.Reschedule, p.firing = kinds[script.KindReschedule]/done, kinds[script.KindFire]/done
	case c.Unit == script.PerReschedule:
		p.Reschedule = min(units/calls, 1)
	case c.Unit == script.PerLifecycle:
		p.Reschedule = max(0, 1-2*units/calls)
		p.firing = (1 - p.Reschedule) * (1 - p.Cancel) / 2
	default:
		return place{}, false
	}
	if p.firing == 0 { // too few fires to be timed, or none
		p.firing = min(fired/calls, leastFires)
	}
	p.still = p.firing == 0 && (c.Passed == nil || c.Unsteady() != "")
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
