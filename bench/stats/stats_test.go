package stats_test

import (
	"math"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/stats"
)

// rounds makes samples of one instance, one a round.
func rounds(values ...float64) []stats.Sample {
	var out []stats.Sample
	for i, v := range values {
		out = append(out, stats.Sample{Round: i, Value: v})
	}
	return out
}

// instances makes samples of instances with two rounds each.
func instances(values ...float64) []stats.Sample {
	out := rounds(values...)
	for i := range out {
		out[i].Instance = i / 2
	}
	return out
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestPairedMatchesByRound(t *testing.T) {
	t.Parallel()
	b := rounds(1, 2, 4, 8, 16, 32)
	a := rounds(2, 4, 8, 16, 32, 64)
	slices.Reverse(a)
	r, ok := stats.Paired(a, b, stats.Options{})
	if !ok || !near(r.Center, 2) || r.Pairs != 6 || !near(r.Lo, 2) || !near(r.Hi, 2) || r.P > 1e-9 || r.Level != stats.Rounds || !r.Differs() {
		t.Errorf("%+v", r)
	}
	r, ok = stats.Paired(a[:4], b[:4], stats.Options{}) // rounds 2 and 3 are in both
	if !ok || r.Pairs != 2 || !near(r.Center, 2) {
		t.Errorf("missing rounds: %+v", r)
	}
	if r, ok := stats.Paired(a[:2], b[:2], stats.Options{}); ok {
		t.Errorf("no round in common: %+v", r)
	}
}

// One round says what the ratio is, and nothing of how sure that is.
func TestASingleRoundHasNoInterval(t *testing.T) {
	t.Parallel()
	r, ok := stats.Paired(rounds(3), rounds(2), stats.Options{})
	if !ok || !near(r.Center, 1.5) || r.Bounded() || r.Differs() || !math.IsNaN(r.P) || !math.IsNaN(r.SE) {
		t.Errorf("%+v", r)
	}
	c, ok := stats.Center(rounds(3), stats.Options{})
	if !ok || c.Bounded() || c.Units != 1 {
		t.Errorf("%+v", c)
	}
	if _, ok := stats.Center(rounds(0, math.Inf(1), math.NaN()), stats.Options{}); ok {
		t.Error("no usable value, and there is a center")
	}
}

func TestTheOutermostLevelCounts(t *testing.T) {
	t.Parallel()
	a := instances(10, 10.1, 11, 11.1, 12, 12.1)
	b := instances(10, 10, 10, 10, 10, 10)
	nested, _ := stats.Paired(a, b, stats.Options{})
	if nested.Level != stats.Instances || nested.Units != 3 || nested.DF != 2 {
		t.Errorf("%+v", nested)
	}
	flat := slices.Clone(a)
	for i := range flat {
		flat[i].Instance = 0
	}
	asRounds, _ := stats.Paired(flat, b, stats.Options{})
	if asRounds.Level != stats.Rounds || asRounds.Units != 6 {
		t.Errorf("one contender has a single instance: %+v", asRounds)
	}
	if nested.SE <= asRounds.SE {
		t.Errorf("the standard error of three instances is %g, of their rounds taken as independent %g", nested.SE, asRounds.SE)
	}
	// Of two ways to divide the rounds, the coarser one counts, whichever contender has it.
	few := slices.Clone(b)
	for i := range few {
		few[i].Instance = i / 3
	}
	ab, _ := stats.Paired(a, few, stats.Options{})
	ba, _ := stats.Paired(few, a, stats.Options{})
	if ab.Units != 2 || ba.Units != 2 || !near(ab.SE, ba.SE) || !near(ab.Center*ba.Center, 1) {
		t.Errorf("three instances beside two: %+v, and two beside three: %+v", ab, ba)
	}
	for i := range a {
		a[i].Layout = i / 4
		b[i].Layout = i / 4
	}
	if r, _ := stats.Paired(a, b, stats.Options{}); r.Level != stats.Layouts || r.Units != 2 {
		t.Errorf("two layouts: %+v", r)
	}
}

func TestTheBestOfFew(t *testing.T) {
	t.Parallel()
	const unclear, tie, worse = stats.Unclear, stats.Tie, stats.Worse
	standings := func(contenders ...[]stats.Sample) (out []stats.Standing) {
		for _, r := range stats.Best(contenders, stats.Options{}) {
			out = append(out, r.Standing())
		}
		return out
	}
	if got := standings(); len(got) != 0 {
		t.Errorf("nobody: %+v", got)
	}
	got := stats.Best([][]stats.Sample{rounds(2, 3, 2, 3, 2, 3)}, stats.Options{})
	if len(got) != 1 || got[0].Standing() != tie || got[0].Center != 1 {
		t.Errorf("one: %+v", got)
	}
	without := [][]stats.Sample{nil, rounds(2, 2, 2, 2, 2, 2), rounds(3, 3, 3, 3, 3, 3), rounds(2, 2, 2, 2, 2, 2)}
	if got := standings(without...); !slices.Equal(got, []stats.Standing{unclear, tie, worse, tie}) {
		t.Errorf("without variance: %v", got)
	}
	if got := stats.Best(without, stats.Options{}); got[0].Pairs != 0 || !near(got[2].Center, 1.5) {
		t.Errorf("without variance: %+v", got)
	}
	other := rounds(5, 5)
	other[0].Round, other[1].Round = 100, 101
	if got := stats.Best([][]stats.Sample{rounds(2, 2, 2), other}, stats.Options{}); got[0].Standing() != tie || got[1].Standing() != unclear || got[1].Pairs != 0 {
		t.Errorf("no round in common: %+v", got)
	}
}

// The best is found among the rounds that contenders have in common: later rounds may be slower.
func TestTheBestIsFoundInCommonRounds(t *testing.T) {
	t.Parallel()
	long := rounds(10, 10.1, 10, 10.1, 10, 10.1, 20, 20, 20, 20, 20, 20, 20, 20)
	short := rounds(11, 11.2, 11, 11.2, 11, 11.2)
	got := stats.Best([][]stats.Sample{long, short}, stats.Options{})
	if got[0].Center != 1 || got[1].Center < 1.09 || got[1].Standing() != stats.Worse {
		t.Errorf("%+v", got)
	}
}

// Standings are decided by what is written, with two decimals.
func TestStandings(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for _, test := range []struct {
		lo, hi float64
		want   stats.Standing
	}{
		{1, 1, stats.Tie}, {0.95, 1.05, stats.Tie}, {1.012, 1.013, stats.Tie}, {1.02, 1.054, stats.Tie},
		{0.94, 1.02, stats.Unclear}, {0.97, 1.06, stats.Unclear}, {1.004, 1.12, stats.Unclear}, {0, inf, stats.Unclear},
		{1.006, 1.12, stats.Worse}, {1.06, 1.07, stats.Worse}, {2.6, inf, stats.Worse},
	} {
		if got := (stats.Interval{Lo: test.lo, Hi: test.hi}).Standing(); got != test.want {
			t.Errorf("%v to %v: %v, want %v", test.lo, test.hi, got, test.want)
		}
	}
}

// The intervals of contenders that may be the best hold together, whatever is far behind.
func TestIntervalsHoldForThoseThatMayBeTheBest(t *testing.T) {
	t.Parallel()
	a, b := instances(10, 10.1, 10, 10.1, 10.1, 10), instances(10.2, 10.1, 10, 10.3, 10.1, 9.9)
	far := instances(70, 71, 70.5, 71, 70, 70)
	one, alone := stats.Options{Prior: stats.NewCell([][]stats.Sample{a, b, far, far}, stats.Options{}).Prior()}, stats.NewCell([][]stats.Sample{a, b, far, far}, stats.Options{})
	single, _ := stats.Paired(b, a, one)
	among := func(contenders ...int) stats.Ratio { return alone.RatiosTo(0, contenders)[1] }
	two, four, all := among(0, 1), among(0, 1, 2, 3), stats.Best([][]stats.Sample{a, b, far, far}, stats.Options{})[1]
	if two != four || two != all || two.Hi < single.Hi || two.SE != single.SE {
		t.Errorf("beside the other one %+v, beside far ones %+v and %+v, one comparison %+v", two, four, all, single)
	}
	if three := alone.RatiosTo(0, []int{0, 1, 1})[1]; three.Hi <= two.Hi {
		t.Errorf("of three %+v, of two %+v", three, two)
	}
}

// One A/A comparison in twenty differs by chance.
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

// A cell of two contenders learns from the A/A comparisons of other cells, whose noise is the same.
func TestACellLearnsFromTheControlsOfOthers(t *testing.T) {
	t.Parallel()
	a, b := instances(10, 10.1, 10, 10.1, 10.1, 10), instances(10.2, 10.1, 10, 10.3, 10.1, 9.9)
	between := func(pairs ...stats.Pair) stats.Ratio {
		return stats.NewCell([][]stats.Sample{a, b}, stats.Options{Prior: stats.PoolPairs(pairs)}).RatiosTo(0, []int{0, 1})[1]
	}
	calm, noisy := stats.Pair{A: b, B: a}, stats.Pair{A: instances(10, 10.1, 13, 13.1, 11, 11.1), B: a}
	alone, alike, wild := between(), between(calm, calm, calm), between(noisy, noisy, noisy)
	if alike.DF <= alone.DF || alike.Hi >= alone.Hi || wild.SE <= alike.SE {
		t.Errorf("alone %+v, beside calm controls %+v, beside noisy ones %+v", alone, alike, wild)
	}
	if alike.Center != alone.Center {
		t.Errorf("the ratio is %v and %v", alone.Center, alike.Center)
	}
}

// Instances that go on from one another count as fewer.
func TestNoiseThatGoesOnWidensIntervals(t *testing.T) {
	t.Parallel()
	one := rounds(slices.Repeat([]float64{10}, 12)...)
	of := func(order ...float64) stats.Ratio {
		a := make([]stats.Sample, 0, 12)
		for i, v := range order {
			a = append(a, stats.Sample{Instance: i, Round: i, Value: v})
		}
		r, _ := stats.Paired(a, one, stats.Options{Prior: stats.PoolPairs(slices.Repeat([]stats.Pair{{A: a, B: one}}, 4))})
		return r
	}
	rises := of(9.5, 9.6, 9.7, 9.8, 9.9, 10, 10.1, 10.2, 10.3, 10.4, 10.5, 10.6)
	mixed := of(9.5, 10.6, 9.7, 10.4, 9.9, 10.1, 10, 10.2, 9.8, 10.3, 9.6, 10.5)
	if rises.SE < 2*mixed.SE || !near(rises.Center, mixed.Center) {
		t.Errorf("rising %+v, mixed %+v", rises, mixed)
	}
}

func TestHolm(t *testing.T) {
	t.Parallel()
	got := stats.Holm([]float64{0.01, 0.04, math.NaN(), 0.03, 0.005})
	want := []float64{0.03, 0.06, 0, 0.06, 0.02}
	for i, w := range want {
		if i != 2 && !near(got[i], w) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if !math.IsNaN(got[2]) {
		t.Errorf("NaN became %g", got[2])
	}
	if got := stats.Holm([]float64{0.9, 0.8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("%v, want 1 and 1", got)
	}
}

func TestDrift(t *testing.T) {
	t.Parallel()
	if tau, p := stats.Drift(rounds(1, 2, 3, 4, 5, 6)); tau != 1 || !near(p, 2.0/720) {
		t.Errorf("rising: %g, %g", tau, p)
	}
	falling := rounds(6, 5, 4, 3, 2, 1)
	slices.Reverse(falling) // by round, not by position
	if tau, p := stats.Drift(falling); tau != -1 || !near(p, 2.0/720) {
		t.Errorf("falling: %g, %g", tau, p)
	}
	if tau, p := stats.Drift(rounds(1, 3, 2, 4)); !near(tau, 4.0/6) || !near(p, 8.0/24) {
		t.Errorf("four values, one pair the wrong way: %g, %g", tau, p)
	}
	if tau, p := stats.Drift(instances(1, 1.1, 2, 2.1, 3, 3.1)); tau != 1 || !near(p, 2.0/6) {
		t.Errorf("three instances: %g, %g; they differ in any order", tau, p)
	}
	for _, few := range [][]stats.Sample{nil, rounds(1), rounds(2, 2, 2)} {
		if tau, p := stats.Drift(few); tau != 0 || !near(p, 1) {
			t.Errorf("%v: %g, %g", few, tau, p)
		}
	}
}

func TestWhatDiffersBetweenRunsWidensACenter(t *testing.T) {
	samples := []stats.Sample{{Instance: 0, Round: 0, Value: 100}, {Instance: 1, Round: 1, Value: 101}, {Instance: 2, Round: 2, Value: 102}}
	one, _ := stats.Center(samples, stats.Options{})
	another, _ := stats.Center(samples, stats.Options{BetweenRuns: 0.02})
	if another.Center != one.Center {
		t.Errorf("the center is %v, was %v", another.Center, one.Center)
	}
	within, both := math.Log(one.Hi/one.Center), math.Log(another.Hi/another.Center)
	if want := math.Hypot(within, 1.96*0.02); math.Abs(both-want) > 1e-4 {
		t.Errorf("half of the interval is %v, want %v", both, want)
	}
	if low := math.Log(another.Center / another.Lo); math.Abs(low-both) > 1e-9 {
		t.Errorf("%v below the center, %v above it", low, both)
	}
	if single, _ := stats.Center(samples[:1], stats.Options{BetweenRuns: 0.02}); single.Bounded() {
		t.Errorf("one sample has the interval %v to %v", single.Lo, single.Hi)
	}
}

func TestRunsDifferMoreAmongManyTimers(t *testing.T) {
	for _, c := range []struct {
		n    int
		want float64
	}{{0, 0.03}, {10, 0.03}, {1e3, 0.03}, {1e6, 0.1}, {1e7, 0.1}} {
		if got := stats.BetweenRuns(c.n); !near(got, c.want) {
			t.Errorf("among %d timers %v, want %v", c.n, got, c.want)
		}
	}
	if few, many := stats.BetweenRuns(1e4), stats.BetweenRuns(1e5); few <= 0.04 || many >= 0.07 || many/few < 1.4 {
		t.Errorf("among 10,000 timers %v, among 100,000 %v, want both in between and growing", few, many)
	}
}
