package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/fail"
)

// rounds makes samples, one a round.
func rounds(values ...float64) []stats.Sample {
	var out []stats.Sample
	for i, v := range values {
		out = append(out, stats.Sample{Round: i, Value: v})
	}
	return out
}

func row(name string, role results.Role, ns ...float64) results.Row {
	r := results.Row{Structure: name, Role: role}
	for i, v := range ns {
		r.Cost = append(r.Cost, results.Trial{Round: i, NS: v * 10, Units: 10})
	}
	return r
}

func costs(n int, rows ...results.Row) *stats.Costs {
	return stats.CostsOf(&results.Run{}, &results.Cell{N: n, Rows: rows})
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   stats.Estimate
	}{
		{nil, stats.Estimate{}},
		{[]float64{3}, stats.Estimate{Center: 3, Lo: 3, Hi: 3, Rounds: 1, Few: true}},
		{[]float64{9, 1, 2, 4, 3}, stats.Estimate{Center: 3, Lo: 1, Hi: 9, Rounds: 5, Few: true}},
		{[]float64{6, 5, 4, 3, 2, 1}, stats.Estimate{Center: 3.5, Lo: 1, Hi: 6, Rounds: 6}},
		{[]float64{-4, 2, 3, 4, 5, 6, 7, 8, 9}, stats.Estimate{Center: 5, Lo: 2, Hi: 8, Rounds: 9}},
	} {
		got := stats.Median(rounds(c.values...))
		got.Groups = [2]float64{}
		fail.UnlessSame(t, fmt.Sprint(c.values), got, c.want)
	}
}

// The interval of a median holds the true one in 95 of 100 samples or a little more, whatever the distribution.
func TestIntervalsHoldTheMedian(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{6, 9, 12, 24, 49, 96, 1536} {
		const all = 2000
		held := 0
		for range all {
			values := make([]float64, n)
			for i := range values {
				values[i] = random.ExpFloat64()
			}
			if e := stats.Median(rounds(values...)); e.Lo <= math.Ln2 && math.Ln2 <= e.Hi {
				held++
			}
		}
		if held < all*94/100 || held > all*99/100 {
			t.Errorf("%d rounds: %d of %d hold the median", n, held, all)
		}
	}
}

// Ratios are taken round by round. The ratio of b to a is the inverse.
func TestRatio(t *testing.T) {
	t.Parallel()
	b := rounds(1, 2, 4, 8, 16, 32, 64, 128)
	a := rounds(2, 4.2, 8, 16.4, 32, 64, 99, 300)
	slices.Reverse(a)
	there, back := stats.Ratio(a, b), stats.Ratio(b, a)
	if there.Rounds != 8 || there.Center != 2 || there.Lo < 1.5 || math.Abs(there.Center*back.Center-1) > 1e-9 || math.Abs(there.Lo*back.Hi-1) > 1e-9 {
		t.Errorf("%+v, %+v", there, back)
	}
	if r := stats.Ratio(a[:4], b[:6]); r.Rounds != 2 || !r.Few { // rounds 4 and 5 are in both
		t.Errorf("missing rounds: %+v", r)
	}
	if r := stats.Ratio(a[:2], b[:2]); r.OK() {
		t.Errorf("no round in common: %+v", r)
	}
	// A cost that is not above the loop makes a ratio infinite, or 0. If the middle one is, it is not known.
	if r := stats.Ratio(rounds(2, 2, 2, -1, 2, 2, 2), rounds(1, 1, 1, 1, 0, 1, 1)); r.Center != 2 || r.Lo != 0 || !math.IsInf(r.Hi, 1) {
		t.Errorf("a round at the loop: %+v", r)
	}
	if r := stats.Ratio(rounds(2, 2, 2), rounds(0, -1, 1)); r.OK() {
		t.Errorf("at the loop: %+v", r)
	}
}

func TestLess(t *testing.T) {
	t.Parallel()
	got := stats.Less(rounds(10, 20, 30), rounds(1, 2))
	if len(got) != 2 || got[0].Value != 9 || got[1].Value != 18 || got[1].Round != 1 {
		t.Errorf("%+v", got)
	}
}

func TestTwoGroups(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values    []float64
		low, high float64
	}{
		{[]float64{51, 256, 50, 255, 52, 257, 49, 250}, 50.5, 255.5},
		{[]float64{51, 52, 50, 53, 52, 51, 49, 250}, 0, 0}, // one outlier
		{[]float64{100, 120, 140, 160, 180, 200, 220, 240}, 0, 0},
		{[]float64{1, 2}, 0, 0},
	} {
		fail.UnlessSame(t, fmt.Sprint(c.values), stats.Median(rounds(c.values...)).Groups, [2]float64{c.low, c.high})
	}
}

// The fastest has the least cost, a tie reaches below 1.05 without the loop, and late structures are a group of their own.
func TestOfACell(t *testing.T) {
	t.Parallel()
	noisy := row("noisy", results.RoleStructure, 104, 130, 131, 104, 132, 130, 131, 130, 129)
	late := row("late", results.RoleStructure, 20, 20, 20, 20, 20, 20, 20, 20, 20)
	late.Coarse = true
	c := costs(1000, row("slow", results.RoleStructure, 150, 150, 150, 150, 150, 150, 150, 150, 150), noisy,
		row("best", results.RoleStructure, 100, 100, 100, 100, 100, 100, 100, 100, 100), late, row("none", results.RoleStructure),
		row("null", results.RoleFloor, 50, 50, 50, 50, 50, 50, 50, 50, 50))
	if got := results.Names(c.Exact); !slices.Equal(got, []string{"best", "noisy", "slow"}) || c.Fastest().Structure != "best" || len(c.Late) != 1 || c.Structures() != 4 {
		t.Errorf("%v", got)
	}
	fail.UnlessSame(t, "the slower ones", results.Names(c.Slower()), []string{"noisy", "slow"})
	slow, best := c.Row("slow"), c.Row("best")
	if c.Ratio(slow, best).Center != 1.5 || c.Net(slow, best).Center != 2 || c.Deciding(slow, best).Center != 2 {
		t.Errorf("%+v, %+v", c.Ratio(slow, best), c.Net(slow, best))
	}
	if !c.Ties(best) || c.Ties(slow) || !c.Ties(c.Row("late")) || c.Ties(c.Row("null")) || c.ToBest(c.Row("late")).Center != 1 {
		t.Error("late structures compare with each other")
	}
	spread := stats.SpreadOf(1000)
	if r := c.Ratio(slow, best); math.Abs(math.Log(r.Hi/r.Center)-spread.Ratio) > 1e-9 || math.Abs(math.Log(r.Center/r.Lo)-spread.Ratio) > 1e-9 {
		t.Errorf("an interval is at least as wide as two runs differ: %+v, %+v", r, spread)
	}
	if c.Row("absent") != nil || c.Cost(nil).OK() || c.Ratio(nil, best).OK() || c.Ties(nil) {
		t.Error("a nil row has no cost")
	}
}

// The default is named unless its ratio to another structure lies above 1.10.
func TestNamed(t *testing.T) {
	t.Parallel()
	of := func(lo float64) stats.Estimate { return stats.Estimate{Center: 2 * lo, Lo: lo, Hi: 3 * lo, Rounds: 9} }
	ratios := map[string]stats.Estimate{"a": of(1.05), "b": of(1.2), "c": of(1.3), "d": {}}
	for _, c := range []struct {
		ranked []string
		want   string
	}{
		{nil, ""}, {[]string{"a", "b"}, "a"}, {[]string{"a", "auto"}, "auto"}, {[]string{"auto"}, "auto"}, {[]string{"a", "c", "b", "auto"}, "c"}, {[]string{"d", "auto"}, "auto"},
	} {
		got := stats.Named(c.ranked, func(a, b string) stats.Estimate {
			fail.UnlessSame(t, "whose ratio is asked", a, stats.Default)
			return ratios[b]
		})
		fail.UnlessSame(t, fmt.Sprint(c.ranked), got, c.want)
	}
}

// In all kept runs every cost lies within the rounds, every ratio within the ratios, and an interval holds its center.
func TestNoFigureLiesOutsideItsData(t *testing.T) {
	t.Parallel()
	runs, err := kept.All()
	fail.If(t, err)
	checked := 0
	within := func(what string, e stats.Estimate, values []float64) {
		if !e.OK() || len(values) == 0 {
			return
		}
		checked++
		if least, most := slices.Min(values), slices.Max(values); e.Center < least*(1-1e-12) || e.Center > most*(1+1e-12) || e.Lo > e.Center || e.Hi < e.Center {
			t.Errorf("%s: %+v, the rounds are %v to %v", what, e, least, most)
		}
	}
	for _, r := range runs {
		for i := range r.Cells {
			c := stats.CostsOf(r, &r.Cells[i])
			lead := c.Fastest()
			for _, row := range c.Rows {
				var values, ratios, nets []float64
				byRound, loops := make(map[int]float64), make(map[int]float64)
				for _, s := range c.Samples(lead) {
					byRound[s.Round] = s.Value
				}
				for _, s := range c.Samples(c.Loop(lead)) {
					loops[s.Round] = s.Value
				}
				for _, s := range c.Samples(row) {
					values = append(values, s.Value)
					if of, ok := byRound[s.Round]; ok {
						ratios = append(ratios, s.Value/of)
						if loop, ok := loops[s.Round]; ok && of > loop && c.Loop(row) == c.Loop(lead) {
							nets = append(nets, (s.Value-loop)/(of-loop))
						}
					}
				}
				what := r.Environment.CPU + ", " + c.Workload + ", " + row.Structure
				within(what, c.Cost(row), values)
				within(what+", ratio", c.Ratio(row, lead), ratios)
				if c.Loop(row) == c.Loop(lead) {
					within(what+", net", c.Net(row, lead), append(nets, math.Inf(1), 0))
				}
				within(what+", schedule", c.KindCost(row, script.KindSchedule), []float64{0, math.Inf(1)})
			}
		}
	}
	if checked < 20_000 {
		t.Errorf("%d figures were checked", checked)
	}
}

func TestByChance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		differ, all int
		lo, hi      float64
	}{{0, 0, 1, 1}, {0, 70, 1, 1}, {1, 1, 0.05, 0.05}, {4, 70, 0.4, 0.6}, {9, 70, 0.005, 0.02}, {20, 70, 0, 1e-9}} {
		if got := stats.ByChance(test.differ, test.all); got < test.lo-1e-9 || got > test.hi+1e-9 {
			t.Errorf("%d of %d: %v, want %v to %v", test.differ, test.all, got, test.lo, test.hi)
		}
	}
}

// Most ratios to a cost at its loop are infinite, and so is their middle one.
func TestTheMedianOfInfinitiesIsInfinite(t *testing.T) {
	inf := math.Inf(1)
	for _, values := range [][]float64{{1, inf, inf}, {1, inf, inf, inf}, {inf}} {
		fail.UnlessSame(t, fmt.Sprint(values), stats.MedianOf(values), inf)
	}
}
