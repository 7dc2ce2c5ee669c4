package answer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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
