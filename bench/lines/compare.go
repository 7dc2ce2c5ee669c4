package lines

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/timerbench/timerbench/bench/internal/gotimer"
	"github.com/timerbench/timerbench/structures"
)

// Time is Go's own timers. They take part where the clock stands still.
func Time() Contender {
	return Contender{"time", func() structures.Scheduler[uint64] { return gotimer.New() }}
}

// Figure is what a contender took on a line: the median of the trials, in
// nanoseconds an operation.
type Figure struct {
	Line      Line
	N         int
	Structure string
	NS        float64
}

// Compare measures contenders on the given lines among n timers, trial by trial
// and in random order within a trial, so that what disturbs one disturbs all.
func Compare(ctx context.Context, list []Line, n, trials, operations int, contenders []Contender) ([]Figure, error) {
	m := newNumbers(n)
	var out []Figure
	// The lines on which the clock stands still leave the timers as they are, so
	// that one filling does for all of them; the others have one as well.
	for _, still := range []bool{true, false} {
		var runs []*run
		var names []string
		for _, c := range contenders {
			s := c.New()
			if _, real := s.(*gotimer.Timers); real && !still {
				continue
			}
			runs, names = append(runs, newRun(s, n, m)), append(names, c.Name)
		}
		filled := false
		for _, line := range order(list, still) {
			if !filled && line != FillDrain {
				for _, r := range runs {
					r.fill()
				}
				filled = true
			}
			figures, err := compare(ctx, line, trials, operations, runs, names)
			if err != nil {
				return nil, err
			}
			out = append(out, figures...)
		}
		for _, r := range runs {
			r.stop()
		}
		runs = nil
		runtime.GC()
	}
	return out, nil
}

// order returns the lines of one kind in the order in which they can be measured on
// one population: the one that begins and ends empty first, and the one that leaves
// all deadlines somewhere else last.
func order(list []Line, still bool) []Line {
	rank := []Line{FillDrain, Hold, StartStop, Churn, Reschedule}
	out := slices.DeleteFunc(slices.Clone(list), func(l Line) bool { return l.Still() != still })
	slices.SortFunc(out, func(a, b Line) int { return slices.Index(rank, a) - slices.Index(rank, b) })
	return out
}

func compare(ctx context.Context, line Line, trials, operations int, runs []*run, names []string) ([]Figure, error) {
	took := make([][]float64, len(runs))
	rng := rand.New(rand.NewPCG(5, 6))
	for trial := range trials + 1 { // the first one to warm up
		for _, i := range rng.Perm(len(runs)) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			ns, err := runs[i].measure(line, operations)
			if err != nil {
				return nil, &Error{names[i], err}
			}
			if trial > 0 {
				took[i] = append(took[i], ns)
			}
		}
	}
	var out []Figure
	for i, name := range names {
		out = append(out, Figure{line, runs[i].n, name, median(took[i])})
	}
	return out, nil
}

// Error says which structure gave a wrong answer.
type Error struct {
	Structure string
	Err       error
}

func (e *Error) Error() string { return e.Structure + ": " + e.Err.Error() }

// Unwrap returns what was wrong.
func (e *Error) Unwrap() error { return e.Err }

func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
