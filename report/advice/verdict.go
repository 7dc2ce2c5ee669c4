package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// Verdict says in a sentence or a few which exact structure does best among how many timers, whatever share of them is
// cancelled or moved, and which may be as good. It is what [Adviser.Answer] says of these numbers. It is empty where the results do not hold any. Name writes
// the name of a structure.
func (a *Adviser) Verdict(name func(string) string) string {
	var out []string
	var first Ranked
	var from, to int
	var rivals []string // that may be as good at each of the numbers
	say := func() {
		if to == 0 {
			return
		}
		sizes := show.Grouped(from)
		if from != to {
			sizes = show.Grouped(from) + " to " + strings.TrimSuffix(timers(float64(to)), " timers")
		}
		out = append(out, fmt.Sprintf("With %s timers, take %s: on average over the workloads, its "+
			"time is at most %s times that of the fastest, %s times at worst.",
			sizes, name(first.Structure), show.Times(first.Cost), show.Times(first.Worst)))
		if len(rivals) > 0 {
			out = append(out, show.Or(rivals)+" may be as good: too close to tell in this run.")
		}
	}
	for _, n := range a.sizes() {
		x, err := a.Answer(Question{N: float64(n), Cancel: Unknown, Reschedule: Unknown})
		if err != nil {
			continue
		}
		s, open := x.Ranking[0], []string(nil)
		for _, other := range x.Ranking[1:] {
			if other.Times.Standing() != stats.Worse {
				open = append(open, name(other.Structure))
			}
		}
		if s.Structure == first.Structure {
			s.Cost, s.Worst = max(s.Cost, first.Cost), max(s.Worst, first.Worst)
			rivals = slices.DeleteFunc(rivals, func(r string) bool { return !slices.Contains(open, r) })
		} else {
			say()
			from, rivals = n, open
		}
		first, to = s, n
	}
	say()
	return strings.Join(out, " ")
}
