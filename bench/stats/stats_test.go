package stats_test

import (
	"math"
	"math/rand/v2"
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

// One round has a ratio, and no interval.
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

// The best took twice as long in the first round, so what dropped out early seems near it. Another one tells.
func TestAContenderFarBehindAnotherOneIsNotTheBest(t *testing.T) {
	t.Parallel()
	contenders := [][]stats.Sample{
		rounds(2, 1, 1, 1.02, 1, 0.98, 1, 1.01), rounds(1.2, 1.19, 1.2, 1.22, 1.2, 1.18, 1.2, 1.21), rounds(2.6, 2.5, 2.55),
	}
	if r := stats.Best(contenders, stats.Options{}); r[2].Standing() != stats.Worse {
		t.Errorf("%+v", r)
	}
	contenders[1] = contenders[1][:3] // it says too little itself
	if r := stats.Best(contenders, stats.Options{}); r[2].Standing() != stats.Unclear {
		t.Errorf("few rounds: %+v", r)
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

// Only a question calls a contender worse. A tie is judged by the written ratio, with two decimals.
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
		r := stats.Ratio{Interval: stats.Interval{Lo: test.lo, Hi: test.hi}}
		if got := r.Interval.Standing(); got != test.want {
			t.Errorf("%v to %v: %v, want %v", test.lo, test.hi, got, test.want)
		}
		if got := r.Standing(); got == stats.Worse {
			t.Errorf("%v to %v is worse without a question", test.lo, test.hi)
		}
		if r.Worse = true; (r.Standing() == stats.Tie) != (test.want == stats.Tie) || r.Standing() == stats.Unclear {
			t.Errorf("%v to %v is %v after a question", test.lo, test.hi, r.Standing())
		}
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
	layouts := rounds(1, 1.1, 2, 2.1, 3, 3.1)
	for i := range layouts {
		layouts[i].Layout = i / 2
	}
	if tau, p := stats.Drift(layouts); tau != 1 || !near(p, 2.0/6) {
		t.Errorf("three layouts: %g, %g; they differ in any order", tau, p)
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

// spread returns 12 rounds of about this cost, in which the noise is as large as given.
func spread(cost, noise float64) []stats.Sample {
	out := rounds(1, -1, 0.5, 0.2, -0.6, 0.9, -0.9, -0.1, 0.6, -0.5, 0.1, -0.2)
	for i := range out {
		out[i].Value = cost * math.Exp(noise*out[i].Value)
	}
	return out
}

// Rounds are the units, and layouts if there are several. The floor of the instances adds to the error of the rounds, the
// less the more instances there are.
func TestUnitsAndFloor(t *testing.T) {
	t.Parallel()
	a, b := spread(10, 0.1), spread(10, 0)
	of := func(instances, layouts int, floor float64) stats.Ratio {
		a := slices.Clone(a)
		for i := range a {
			a[i].Instance, a[i].Layout = i*instances/len(a), i*layouts/len(a)
		}
		r, _ := stats.Paired(a, b, stats.Options{Floor: floor})
		return r
	}
	bare, one, three := of(1, 1, 0), of(1, 1, 0.04), of(3, 1, 0.04)
	if bare.Units != 12 || bare.Level != stats.Rounds || bare.DF != 11 || of(3, 1, 0) != bare {
		t.Errorf("without a floor: %+v, in three instances %+v", bare, of(3, 1, 0))
	}
	if want := math.Hypot(bare.SE, 0.04); !near(one.SE, want) || !near(three.SE, math.Hypot(bare.SE, 0.04/math.Sqrt(3))) {
		t.Errorf("one instance %v, three %v, want %v for one", one.SE, three.SE, want)
	}
	if v, w := bare.SE*bare.SE, 0.04*0.04; !near(one.DF, (v+w)*(v+w)/(v*v/11+w*w/20)) {
		t.Errorf("%v degrees of freedom", one.DF)
	}
	if r := of(1, 3, 0); r.Level != stats.Layouts || r.Units != 3 || r.DF != 2 {
		t.Errorf("three layouts: %+v", r)
	}
	if bare, r := of(1, 3, 0), of(1, 3, 0.04); !near(r.SE, math.Hypot(bare.SE, 0.04/math.Sqrt(3))) {
		t.Errorf("each layout has an instance of its own: %v, without the floor %v", r.SE, bare.SE)
	}
	if few, many := stats.InstanceFloor(9999), stats.InstanceFloor(10_000); few != 0.04 || many != 0.02 {
		t.Errorf("floors %v and %v", few, many)
	}
}

// A noisy pair keeps its own noise. A calm one among noisy neighbors takes a part of theirs, and gains freedom.
func TestAPairIsAsNoisyAsItsRounds(t *testing.T) {
	t.Parallel()
	base := spread(10, 0)
	alone, _ := stats.Paired(spread(10, 0.2), base, stats.Options{})
	calm := stats.Pair{A: spread(10, 0.1), B: base}
	prior := stats.PoolPairs([]stats.Pair{calm, calm, calm, calm})
	if r, _ := stats.Paired(spread(10, 0.2), base, stats.Options{Prior: prior}); !near(r.SE/alone.SE, 1) || r.DF <= alone.DF {
		t.Errorf("with calm neighbors %+v, alone %+v", r, alone)
	}
	quiet, _ := stats.Paired(spread(10, 0.05), base, stats.Options{})
	if r, _ := stats.Paired(spread(10, 0.05), base, stats.Options{Prior: prior}); r.SE < 1.2*quiet.SE || r.DF <= quiet.DF {
		t.Errorf("with noisier neighbors %+v, alone %+v", r, quiet)
	}
}

// Rounds that go on from one another count as fewer, and have less freedom.
func TestNoiseThatGoesOnWidensIntervals(t *testing.T) {
	t.Parallel()
	one := rounds(slices.Repeat([]float64{10}, 12)...)
	of := func(order ...float64) stats.Ratio {
		r, _ := stats.Paired(rounds(order...), one, stats.Options{Prior: stats.PoolPairs([]stats.Pair{{A: rounds(order...), B: one}})})
		return r
	}
	rises := of(9.5, 9.6, 9.7, 9.8, 9.9, 10, 10.1, 10.2, 10.3, 10.4, 10.5, 10.6)
	mixed := of(9.5, 10.6, 9.7, 10.4, 9.9, 10.1, 10, 10.2, 9.8, 10.3, 9.6, 10.5)
	if rises.SE < 2*mixed.SE || !near(rises.Center, mixed.Center) || rises.DF > mixed.DF/2 {
		t.Errorf("rising %+v, mixed %+v", rises, mixed)
	}
}

// Worse needs six rounds, or twice the cost in each of three, and rounds that do not persist.
func TestWhenADifferenceIsFound(t *testing.T) {
	t.Parallel()
	mixed := []float64{9.9, 10.1, 9.8, 10.2, 9.9, 10.1, 9.8, 10.2}
	steady := func(cost float64, n int) []stats.Sample {
		out := rounds(mixed[:n]...)
		for i := range out {
			out[i].Value = cost + 0.01*float64(i%2)
		}
		return out
	}
	for _, test := range []struct {
		name   string
		other  []stats.Sample
		rounds int
		want   bool
	}{
		{"15 % in six rounds", steady(11.5, 6), 6, true},
		{"15 % in five", steady(11.5, 5), 5, false},
		{"twice in three", steady(21, 3), 3, true},
		{"twice in two", steady(21, 2), 2, false},
		{"twice but once", append(steady(30, 2), stats.Sample{Round: 2, Value: 14}), 3, false},
		{"almost twice", steady(19, 3), 3, false},
		{"persistent", rounds(11.5, 11.6, 11.7, 11.9, 12.2, 12.4, 12.5, 12.6), 8, false},
		{"half", steady(4.5, 3), 3, false},
	} {
		got := stats.Best([][]stats.Sample{rounds(mixed[:test.rounds]...), test.other}, stats.Options{})
		if test.name == "half" {
			if !got[0].Worse {
				t.Error("twice the best in three rounds is not worse")
			}
			got[0].Worse = false
		}
		if got[1].Worse != test.want || got[0].Worse {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

// A pair has the same interval in every question. More contenders that may be the best need a clearer difference.
func TestQuestionsDecideCandidatesAndNotIntervals(t *testing.T) {
	t.Parallel()
	ratio := func(t float64) stats.Ratio {
		return stats.Ratio{Pairs: 12}.Moved(0.05*t, 0.05, 11)
	}
	lead := stats.Ratio{Interval: stats.Interval{Center: 1, Lo: 1, Hi: 1}, Pairs: 12}
	middle, equal, far := ratio(2.5), ratio(0.1), ratio(9)
	two := []stats.Ratio{lead, middle}
	many := append([]stats.Ratio{lead, middle}, slices.Repeat([]stats.Ratio{equal}, 10)...)
	gone := append([]stats.Ratio{lead, middle}, slices.Repeat([]stats.Ratio{far}, 10)...)
	close := ratio(2)
	equal.Worse = true // in another question
	three, pair := []stats.Ratio{lead, close, equal}, []stats.Ratio{lead, close, {}}
	for _, of := range [][]stats.Ratio{two, many, gone, three, pair} {
		stats.Judge(of)
	}
	if !two[1].Worse || many[1].Worse || !gone[1].Worse || !gone[2].Worse {
		t.Errorf("of two %v, of twelve %v, of two and ten far ones %v", two[1].Worse, many[1].Worse, gone[1].Worse)
	}
	if three[1].Worse || three[2].Worse || !pair[1].Worse {
		t.Errorf("of three %+v, of two and one without a round %+v", three, pair)
	}
	if two[1].Interval != many[1].Interval {
		t.Error("the interval depends on the question")
	}
}

func TestARatioKeepsItsWidth(t *testing.T) {
	t.Parallel()
	r := stats.Ratio{Pairs: 12}.Moved(0.05*2.201, 0.05, 11) // Student's t of 97.5 %
	if math.Abs(r.Lo-1) > 1e-4 || math.Abs(r.P-0.05) > 1e-4 || !near(r.Hi/r.Center, r.Center/r.Lo) {
		t.Errorf("%+v", r)
	}
	if twice := r.Recentered(2 * r.Center); !near(twice.Lo, 2*r.Lo) || !near(twice.Hi, 2*r.Hi) || !math.IsNaN(twice.P) || r.Recentered(r.Center) != r {
		t.Errorf("with twice the center: %+v", twice)
	}
	if sure := (stats.Ratio{Pairs: 6}).Moved(1, 0, 5); sure.P != 0 {
		t.Errorf("without any error: %+v", sure)
	}
}

// The best of equal contenders seems cheaper than it is. Optimism is that difference on average.
func TestOptimismIsTheBiasOfTheChosen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		noise float64
		plan  plan
	}{{0.15, plan{1, 3}}, {0.15, plan{1, 12}}, {0.15, plan{2, 6}}, {0.03, plan{2, 6}}} {
		const cells, k = 600, 8
		all := []int{0, 1, 2, 3, 4, 5, 6, 7}
		rng := rand.New(rand.NewPCG(39, 1984))
		var before, after float64
		for range cells {
			samples := weather{rounds: test.noise}.cell(test.plan, rng, make([]float64, k)...)
			c := stats.NewPairs(samples, simulated)
			best := c.Best(all)
			cost, _ := stats.Center(samples[best], stats.Options{})
			bias := math.Log(cost.Center / 100)
			before, after = before+bias/cells, after+(bias+c.Optimism(best, all))/cells
		}
		t.Logf("%+v: %.1f %% before, %.1f %% after", test, 100*before, 100*after)
		if math.Abs(after) > 0.4*math.Abs(before) || before > -0.01 {
			t.Errorf("%+v: the cost of the best is off by %.3f, and %.3f with the correction", test, before, after)
		}
	}
	far := stats.NewPairs([][]stats.Sample{spread(10, 0.1), spread(20, 0.1)}, simulated)
	if got := far.Optimism(0, []int{0, 1}); got != 0 {
		t.Errorf("with one clear winner %v, want 0", got)
	}
	if got := stats.NewPairs([][]stats.Sample{rounds(10), rounds(11)}, simulated).Optimism(0, []int{0, 1}); got != 0 {
		t.Errorf("with one round %v, want 0", got)
	}
}
