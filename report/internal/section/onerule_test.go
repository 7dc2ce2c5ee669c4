package section

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/advice"
	"github.com/timerbench/timerbench/report/internal/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// wandering is a cell of the grid of structures whose costs differ by little or by much, with noise between
// instances and rounds. Some have fewer rounds, as after a race.
func wandering(rng *rand.Rand, percent, n int) results.Cell {
	c := results.Cell{Workload: fmt.Sprint("grid-uniform-", percent), N: n, Category: "grid", Unit: "lifecycle", CancelRate: float64(percent) / 100, Grid: &results.Grid{Delays: "uniform", CancelPercent: percent}}
	instances, noise := 1+rng.IntN(4), 0.001*math.Exp(5*rng.Float64())
	for i, name := range []string{"auto", "hwheel", "hwheel-linux", "quadheap", "rbtree", "wheel-fixed", "auto-control"} {
		row := results.Row{Structure: name, Role: results.RoleStructure}
		cost := 50 * math.Exp([]float64{0, 0, 0.03, 0.06, 0.2, 1}[rng.IntN(6)])
		if i == 6 {
			row.Role, row.Of, cost = results.RoleControl, "auto", c.Rows[0].Cost[0].NS/1000
		}
		for instance := range 1 + rng.IntN(instances) {
			level := cost * math.Exp(noise*rng.NormFloat64())
			for round := range 3 {
				row.Cost = append(row.Cost, results.Trial{Instance: instance, Round: 3*instance + round, NS: 1000 * level * math.Exp(noise*rng.NormFloat64()), Units: 1000, Ops: 2000, Wakes: 200})
			}
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

// written is the standing that the interval has for someone who reads it.
func written(t *testing.T, i stats.Interval) stats.Standing {
	t.Helper()
	read := func(v float64) float64 {
		out, err := strconv.ParseFloat(show.Times(v), 64)
		if err != nil {
			return math.Inf(1)
		}
		return out
	}
	switch lo, hi := read(i.Lo), read(i.Hi); {
	case lo >= 0.95 && hi <= 1.05:
		return stats.Tie
	case lo > 1:
		return stats.Worse
	}
	return stats.Unclear
}

// wantSentence checks that a sentence says what the intervals of its ranking say: it names those that may be the best, whether they are
// told apart, and the first that is worse.
func wantSentence(t *testing.T, x advice.Answer) {
	t.Helper()
	names, unclear, next := []string{x.Ranking[0].Structure}, false, ""
	for _, s := range x.Ranking[1:] {
		switch written(t, s.Times) {
		case stats.Unclear:
			unclear = true
			fallthrough
		case stats.Tie:
			names = append(names, s.Structure)
		default:
			if next == "" {
				next = s.Structure
			}
		}
	}
	if more := len(names) - 4; more > 0 {
		names = append(names[:4], fmt.Sprintf("one of %d more", more))
	}
	says := x.Sentence()[len("For "+x.Words()+": "):]
	want := show.Or(names)
	switch {
	case unclear:
		want += ": too close to tell in this run. "
	case len(names) > 1:
		want += ", the same within 5 %: "
	default:
		want += ", "
	}
	if !strings.HasPrefix(says, want) {
		t.Errorf("%s: want it to begin with %q", x.Sentence(), want)
	}
	if got := strings.Contains(says, ". Next: "+next+", "); got != (next != "") || !got && strings.Contains(says, "Next") {
		t.Errorf("%s: the next is %q", x.Sentence(), next)
	}
}

// Sentence, ranking, heat map, map of the winners, first table and comparisons of two say the same of every structure, and it is what its
// interval says.
func TestNoTwoPlacesContradictEachOther(t *testing.T) {
	t.Parallel()
	seen := make(map[stats.Standing]int)
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 26))
		r := &results.Run{Complete: true, Cells: []results.Cell{wandering(rng, 0, 100), wandering(rng, 90, 10_000)}}
		v := viewOf(t, r, "auto", "hwheel", "hwheel-linux", "quadheap", "rbtree", "wheel-fixed")
		heat, adviser := v.overviewTable(v.Cells), advice.Of(v.Run)
		between, err := adviser.Answer(advice.Question{N: 1000, Cancel: advice.Unknown, Reschedule: advice.Unknown}) // it rests on both cells
		if err != nil || len(between.Evidence) != 2 {
			t.Fatalf("%v, %+v", err, between.Evidence)
		}
		wantSentence(t, between)
		for column, c := range v.Cells {
			for _, late := range []bool{true, false} {
				x, err := adviser.Answer(advice.Question{N: float64(c.N), Cancel: c.CancelRate, Delays: "uniform", Late: late})
				if err != nil || len(x.Evidence) != 1 {
					t.Fatalf("%v, %+v", err, x.Evidence)
				}
				keep := func(name string) bool { return late || !v.IsCoarse(name) }
				ranked := c.Among(keep)
				wantSentence(t, x)
				named := make(map[stats.Standing][]string)
				for i, s := range x.Ranking {
					if i >= len(ranked) || ranked[i].Structure != s.Structure {
						t.Fatalf("%d: the ranking is %+v, that of the cell %+v", seed, x.Ranking, ranked)
					}
					of := ranked[i].RatioTo(ranked[0])
					if math.Abs(of.Lo-s.Times.Lo) > 1e-9 || of.Bounded() && math.Abs(of.Hi-s.Times.Hi) > 1e-9*of.Hi {
						t.Errorf("%d: %s is %+v in the ranking and %+v in the cell", seed, s.Structure, s.Times, of)
					}
					standing := written(t, s.Times)
					seen[standing]++
					named[standing] = append(named[standing], s.Structure)
					first, row := c.Row(x.Ranking[0].Structure), c.Row(s.Structure)
					there, back := row.RatioTo(first), first.RatioTo(row)
					if standing == stats.Worse && (there.Side() <= 0 || back.Side() >= 0) || standing == stats.Unclear && (there.Side() != 0 || there.Standing() != stats.Unclear || back.Side() != 0) {
						t.Errorf("%d: %s is %+v times %s, which is %+v times it, and shown as %+v", seed, s.Structure, there, first.Structure, back, s.Times)
					}
					if of.Standing() != standing {
						t.Errorf("%d: %s is %v, and shown as %+v", seed, s.Structure, of.Standing(), s.Times)
					}
					line := slices.IndexFunc(heat.Rows, func(l draw.Style) bool { return l.Name == s.Structure })
					if late && heat.Bold[line][overAll+column] != (standing != stats.Worse) {
						t.Errorf("%d: %s is bold: %v, and %+v", seed, s.Structure, standing == stats.Worse, s.Times)
					}
				}
				first := x.Ranking[0].Structure
				m := v.newWinnerMap()
				m.cells = []*analysis.Cell{c}
				if field := m.fields(v, "uniform").Fields[0]; !late && (field.Owner.Name != first || field.White != surest(len(named[stats.Tie])+len(named[stats.Unclear])-1)) {
					t.Errorf("%d: the map says %s, %v of it white, the ranking %+v", seed, field.Owner.Name, field.White, x.Ranking)
				}
				if !late {
					continue
				}
				line := fmt.Sprintf("| %s | %s | %s | %s |", c.Workload, show.Short(float64(c.N)), someOf(named[stats.Tie]), someOf(named[stats.Unclear]))
				if table := v.answerTable().Markdown(); !strings.Contains(table, line) {
					t.Errorf("%d: the first table lacks %q:\n%s", seed, line, table)
				}
			}
		}
	}
	for _, standing := range []stats.Standing{stats.Tie, stats.Unclear, stats.Worse} {
		if seen[standing] < 20 {
			t.Errorf("standings %v: want many of each", seen)
		}
	}
}
