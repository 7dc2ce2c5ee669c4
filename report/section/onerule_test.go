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
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
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

// written is the standing that the question gives, or else the interval for someone who reads it.
func written(t *testing.T, i stats.Ratio) stats.Standing {
	t.Helper()
	read := func(v float64) float64 {
		out, err := strconv.ParseFloat(show.Times(v), 64)
		if err != nil {
			return math.Inf(1)
		}
		return out
	}
	switch lo, hi := read(i.Lo), read(i.Hi); {
	case i.Worse:
		return stats.Worse
	case lo >= 0.95 && hi <= 1.05:
		return stats.Tie
	}
	return stats.Unclear
}

// wantSentence checks that a sentence agrees with the standings of its ranking: one name, the number of others that may be the best, and
// the gain over the default if another structure is named.
func wantSentence(t *testing.T, x answer.Answer) {
	t.Helper()
	var names []string
	for _, s := range x.Ranking {
		if s.Candidate() {
			names = append(names, s.Structure)
		}
	}
	if !slices.Equal(names, x.Candidates) || !slices.Contains(names, x.Name) && x.Name != "auto" ||
		slices.Contains(names, "auto") && x.Name != "auto" && x.Of("auto").Score <= 1.1*x.Ranking[0].Score { // costs little more
		t.Errorf("%s: candidates %q, want %q", x.Sentence(), x.Candidates, names)
	}
	says, _, _ := strings.Cut(x.Sentence()[len("For "+x.Words()+": "):], ". ")
	if !strings.HasPrefix(says, "take "+x.Name+", ") || strings.Contains(says, " times as fast as auto") != (x.Name != "auto") ||
		strings.Contains(says, fmt.Sprintf("; %d other", len(names)-1)) != (len(names) > 1 && slices.Contains(names, x.Name)) {
		t.Errorf("%s: candidates %q", says, names)
	}
}

// Sentence, ranking, heat map, first table and comparisons of two say the same of every structure, and it is what its
// interval says.
func TestNoTwoPlacesContradictEachOther(t *testing.T) {
	t.Parallel()
	seen := make(map[stats.Standing]int)
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 26))
		r := &results.Run{Complete: true, Cells: []results.Cell{wandering(rng, 0, 300), wandering(rng, 90, 3000)}}
		v := viewOf(t, r, "auto", "hwheel", "hwheel-linux", "quadheap", "rbtree", "wheel-fixed")
		heat, adviser := v.overviewTable(v.Cells), v.Adviser()
		between, err := adviser.Answer(answer.Question{N: 1000, Cancel: answer.Unknown, Reschedule: answer.Unknown}) // it rests on both cells
		if err != nil || len(between.Evidence) != 2 {
			t.Fatalf("%v, %+v", err, between.Evidence)
		}
		wantSentence(t, between)
		for column, c := range v.Cells {
			for _, late := range []bool{true, false} {
				x, err := adviser.Answer(answer.Question{N: float64(c.N), Cancel: c.CancelRate, Delays: "uniform", Late: late})
				if err != nil || len(x.Evidence) != 1 {
					t.Fatalf("%v, %+v", err, x.Evidence)
				}
				keep := func(name string) bool { return late || v.IsExact(name) }
				ranked := c.Among(keep)
				wantSentence(t, x)
				named := make(map[stats.Standing][]string)
				for i, s := range x.Ranking {
					if i >= len(ranked) || ranked[i].Structure != s.Structure {
						t.Fatalf("%d: the ranking is %+v, that of the cell %+v", seed, x.Ranking, ranked)
					}
					of := c.Ratio(ranked[i], c.Row(x.Name))
					if math.Abs(of.Lo-s.Times.Lo) > 1e-9 || of.Bounded() && math.Abs(of.Hi-s.Times.Hi) > 1e-9*of.Hi {
						t.Errorf("%d: %s is %+v in the ranking and %+v in the cell", seed, s.Structure, s.Times, of)
					}
					of = c.Ratio(ranked[i], ranked[0])
					standing := written(t, of)
					seen[standing]++
					named[standing] = append(named[standing], s.Structure)
					first, row := c.Row(x.Ranking[0].Structure), c.Row(s.Structure)
					there, back := c.Ratio(row, first), c.Ratio(first, row)
					if there.Standing() != standing || back.Worse {
						t.Errorf("%d: %s is %+v times %s, which is %+v times it, and shown as %+v", seed, s.Structure, there, first.Structure, back, s.Times)
					}
					if of.Standing() != standing || s.Standing != standing {
						t.Errorf("%d: %s is %v, and shown as %+v", seed, s.Structure, of.Standing(), s.Times)
					}
					line := slices.IndexFunc(heat.Rows, func(row draw.HeatRow) bool { return row.Name == s.Structure })
					if late && heat.Rows[line].Fields[2+column].Bold != (standing != stats.Worse) {
						t.Errorf("%d: %s is bold: %v, and %+v", seed, s.Structure, standing == stats.Worse, s.Times)
					}
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
