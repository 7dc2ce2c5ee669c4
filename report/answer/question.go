package answer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
)

// Question describes a program and the criteria of an answer.
type Question struct {
	N          float64 `json:"n"`                  // pending timers, 1 at least
	Cancel     float64 `json:"cancel"`             // share of the timers that are cancelled before they fire, 0 to 1, or Unknown
	Delays     string  `json:"dist,omitempty"`     // shape of the delays, as results.Grid names it; empty: any
	Reschedule float64 `json:"reschedule"`         // share of the calls that move a timer, 0 to 1, or Unknown; a call schedules, cancels, moves or fires one
	PerWake    float64 `json:"per_wake,omitempty"` // such calls between two wake-ups; 0: not known
	Matters    Weights `json:"weights"`
	Late       bool    `json:"late,omitempty"` // structures that fire late may take part
	Rate       Rate    `json:"rate,omitzero"`  // for the value of the difference
	Recorded   bool    `json:"-"`              // it comes from a trace, which can be replayed itself
}

// Unknown is a share that is not known: cells with any share are equally near.
const Unknown = -1

// Check returns an error if a value is out of its range.
func (q Question) Check() error {
	switch {
	case !(q.N >= 1) || math.IsInf(q.N, 1):
		return fmt.Errorf("number of timers %v: want 1 or more", q.N)
	case q.Delays != "" && !slices.Contains(workload.DelayKinds(), q.Delays):
		return fmt.Errorf("shape of delays %q: want one of %s", q.Delays, strings.Join(workload.DelayKinds(), ", "))
	case !(q.PerWake >= 0):
		return fmt.Errorf("calls between two wake-ups %v: want 0 or more", q.PerWake)
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
	return q.Matters.check()
}

// Weights are the weights of the criteria. Only their ratios count. The zero value is throughput alone.
type Weights [5]float64

// The criteria, as indexes of Weights.
const (
	Throughput = iota // cost of the calls
	Tail              // 99th percentile of single calls
	Memory            // bytes a timer
	Idle              // wake-ups of a tickless driver
	Pause             // longest call
)

var (
	weightNames = []string{"throughput", "tail", "memory", "idle", "pause"}
	weightWords = []string{"throughput", "tail", "memory", "idle wake-ups", "longest call"}
)

// ParseWeights reads weights such as "throughput=1,tail=2". A name without a number counts 1.
func ParseWeights(s string) (Weights, error) {
	var w Weights
	var given [len(w)]bool
	for part := range strings.SplitSeq(s, ",") {
		name, number, valued := strings.Cut(strings.TrimSpace(part), "=")
		i := slices.Index(weightNames, name)
		if i < 0 {
			return w, fmt.Errorf("weight %q: want one of %s, such as tail=2", part, strings.Join(weightNames, ", "))
		}
		if given[i] {
			return w, fmt.Errorf("weights %q: %s stands twice", s, name)
		}
		given[i] = true
		v := 1.0
		if valued {
			var err error
			if v, err = strconv.ParseFloat(number, 64); err != nil {
				return w, fmt.Errorf("weight of %s is %q: want a number", name, number)
			}
		}
		w[i] = v
	}
	if err := w.check(); err != nil {
		return w, err
	}
	if w == (Weights{}) {
		return w, fmt.Errorf("weights %q: want one above 0", s)
	}
	return w, nil
}

func (w Weights) check() error {
	for i, v := range w {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("weight of %s is %v: want 0 or more", weightNames[i], v)
		}
	}
	return nil
}

// shares returns the weights scaled to the sum 1.
func (w Weights) shares() Weights {
	if w == (Weights{}) {
		w[Throughput] = 1
	}
	sum := w[Throughput] + w[Tail] + w[Memory] + w[Idle] + w[Pause]
	for i := range w {
		w[i] /= sum
	}
	return w
}

// among returns the shares of the criteria that are present, scaled to the sum 1. They are 0 if none is.
func (w Weights) among(present []bool) Weights {
	w = w.shares()
	for i, there := range present {
		if !there {
			w[i] = 0
		}
	}
	if w == (Weights{}) {
		return w
	}
	return w.shares()
}

// names returns the criteria in words; empty: throughput alone.
func (w Weights) names() []string {
	var out []string
	for i, share := range w.shares() {
		if share == 1 && i == Throughput {
			return nil
		}
		if share > 0 {
			out = append(out, weightWords[i])
		}
	}
	return out
}

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
