package answer

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
)

// The cell that stands for a workload has nine tenths of the structures of the fullest one. It is the largest up to the typical
// number of timers, or else the smallest.
func TestWhichCellsAnswer(t *testing.T) {
	t.Parallel()
	r := &results.Run{}
	add := func(workload string, n, structures int) {
		c := results.Cell{Workload: workload, N: n, Category: "program", Rows: []results.Row{{Structure: "null", Role: results.RoleFloor, Cost: trials(1, 1, 1, 1, 1, 1)}}}
		for i := range structures {
			c.Rows = append(c.Rows, results.Row{Structure: fmt.Sprint("s", i), Role: results.RoleStructure, Cost: trials(10, 11, 10, 11, 10, 11)})
		}
		r.Cells = append(r.Cells, c)
	}
	const typical = results.TypicalN
	for _, c := range []struct {
		name string
		full [4]int // structures among 10, the typical number, one more, and ten times as many timers
		want int
	}{
		{"all", [4]int{10, 10, 10, 10}, typical}, {"nine", [4]int{10, 9, 10, 10}, typical}, {"eight", [4]int{10, 8, 10, 10}, 10},
		{"large", [4]int{0, 0, 10, 10}, typical + 1}, {"larger", [4]int{8, 8, 8, 10}, 10 * typical}, {"only floors", [4]int{}, 0},
	} {
		for i, n := range []int{10, typical, typical + 1, 10 * typical} {
			add(c.name, n, c.full[i])
		}
		got := 0
		for _, cell := range With(&results.Run{Cells: r.Cells}, Knowledge{}).AnswerCells() {
			got = cell.N
		}
		if r.Cells = nil; got != c.want {
			t.Errorf("%s: the cell of %d timers answers, want %d", c.name, got, c.want)
		}
	}
}

// Contenders are ordered by the geometric mean of their ratios to the fastest of each cell. Those without a cost in some cell follow,
// because they may be worst there, then late ones, then those without any cost.
func TestByMerit(t *testing.T) {
	t.Parallel()
	r := with(nil, []string{"floor", "late", "list", "rbtree", "wheel", "minheap"},
		timed("hold", map[string]float64{"minheap": 10, "wheel": 40, "rbtree": 20, "list": 10.01, "late": 1}),
		timed("churn", map[string]float64{"minheap": 30, "wheel": 10, "rbtree": 40, "late": 1}))
	r.Known.Entries[1].MaxLate = func(structures.Tick) structures.Tick { return 1 }
	for i := range r.Cells {
		r.Cells[i].Row("late").Coarse = true
	}
	r = With(r.Run, r.Known)
	got := ""
	for _, who := range r.ByMerit(append([]RowName{{Name: "none"}}, r.Contenders...)) {
		got += who.Name + " "
	}
	fail.UnlessSame(t, "the order", got, "minheap wheel rbtree list late none ")
	if mean, n := Mean(r.Cells, func(c *stats.Costs) stats.Estimate { return c.ToBest(c.Row("minheap")) }); math.Abs(mean-math.Sqrt(3)) > 0.01 || n != 2 {
		t.Errorf("the mean of minheap is %v in %d cells", mean, n)
	}
}

// A chart shows up to eight structures, the best first, or else the classics, or else the best eight.
func TestLeadersAreAllOfAFewElseTheClassics(t *testing.T) {
	t.Parallel()
	for names, want := range map[string]string{
		"list rbtree ladder":              "list rbtree ladder: ",
		"ladder a b c d rbtree e wheel":   "ladder a b c d rbtree e wheel: ",
		"ladder a b c d rbtree e f wheel": "rbtree wheel: The tables have 7 more structures.",
		"a b c d e f g h i":               "a b c d e f g h: The tables have 1 more structure.",
	} {
		costs := make(map[string]float64)
		for i, name := range strings.Fields(names) {
			costs[name] = float64(10 * (i + 1))
		}
		r := with(nil, strings.Fields(names), timed("hold", costs))
		var got []string
		for _, who := range r.Leaders(r.Contenders) {
			got = append(got, who.Name)
		}
		fail.UnlessSame(t, names, strings.Join(got, " ")+": "+r.ChoiceNote(r.Contenders), want)
	}
}
