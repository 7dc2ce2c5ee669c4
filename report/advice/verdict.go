package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/internal/show"
)

// Verdict is the exact structure that leads at neighboring numbers of timers, whatever share of them is cancelled or moved.
type Verdict struct {
	From, To int // numbers of timers
	Leader   string
	Rivals   []string // may be as good at each of the numbers, the best first
	Cost     float64  // the largest multiple of the fastest's time, averaged over the workloads of a number
	Worst    float64  // the same in the worst workload
}

// Verdicts returns the verdicts on all numbers of timers of the results, in their order. They are what [Adviser.Answer]
// answers for these numbers. There are none where the results answer for none.
func (a *Adviser) Verdicts() []Verdict {
	var out []Verdict
	for _, n := range a.sizes() {
		x, err := a.Answer(Question{N: float64(n), Cancel: Unknown, Reschedule: Unknown})
		if err != nil {
			continue
		}
		leader := x.Ranking[0]
		if last := len(out) - 1; last >= 0 && out[last].Leader == x.Leader {
			v := &out[last]
			v.To, v.Cost, v.Worst = n, max(v.Cost, leader.Cost), max(v.Worst, leader.Worst)
			v.Rivals = slices.DeleteFunc(v.Rivals, func(r string) bool { return !slices.Contains(x.Tied, r) })
		} else {
			out = append(out, Verdict{n, n, x.Leader, slices.Clone(x.Tied), leader.Cost, leader.Worst})
		}
	}
	return out
}

// Line writes the verdict in words, the names of structures in bold.
func (v Verdict) Line() []show.Span {
	sizes := show.Grouped(v.From)
	if v.From != v.To {
		sizes += " to " + strings.TrimSuffix(timers(float64(v.To)), " timers")
	}
	out := show.Line("With "+sizes+" timers, take ", show.Strong(v.Leader), fmt.Sprintf(": on average over the workloads, its "+
		"time is at most %s times that of the fastest, %s times at worst.", show.Times(v.Cost), show.Times(v.Worst)))
	for i, name := range v.Rivals {
		joint := ", "
		switch i {
		case 0:
			joint = " "
		case len(v.Rivals) - 1:
			joint = " or "
		}
		out = append(out, show.Line(joint, show.Strong(name))...)
	}
	if len(v.Rivals) > 0 {
		out = append(out, show.Line(" may be as good: too close to tell in this run.")...)
	}
	return out
}
