package stats_test

import (
	"math"
	"reflect"
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
	for i := range a {
		a[i].Layout = i / 4
		b[i].Layout = i / 4
	}
	if r, _ := stats.Paired(a, b, stats.Options{}); r.Level != stats.Layouts || r.Units != 2 {
		t.Errorf("two layouts: %+v", r)
	}
}

// One disturbed round must not change the ratio much.
func TestASpikeMovesNoCenter(t *testing.T) {
	t.Parallel()
	r, _ := stats.Paired(instances(10, 10, 10, 50, 10, 10), instances(10, 10, 10, 10, 10, 10), stats.Options{})
	if r.Center != 1 {
		t.Errorf("%+v", r)
	}
}

func TestTheBestOfFew(t *testing.T) {
	t.Parallel()
	if got := stats.Best(nil, 0, stats.Options{}); len(got) != 0 {
		t.Errorf("nobody: %+v", got)
	}
	got := stats.Best([][]stats.Sample{rounds(2, 3, 2, 3, 2, 3)}, 0, stats.Options{})
	if len(got) != 1 || !got[0].InBest || !got[0].Known || got[0].ToBest.Center != 1 {
		t.Errorf("one: %+v", got)
	}
	got = stats.Best([][]stats.Sample{nil, rounds(2, 2, 2, 2, 2, 2), rounds(3, 3, 3, 3, 3, 3), rounds(2, 2, 2, 2, 2, 2)}, 0, stats.Options{})
	if got[0].InBest || !got[1].InBest || got[2].InBest || !got[3].InBest || !near(got[2].ToBest.Center, 1.5) || !got[3].Known {
		t.Errorf("without variance: %+v", got)
	}
	other := rounds(5, 5)
	other[0].Round, other[1].Round = 100, 101
	got = stats.Best([][]stats.Sample{rounds(2, 2, 2), other}, 0, stats.Options{})
	if !got[0].InBest || !got[1].InBest || got[1].Known || got[1].ToBest.Pairs != 0 {
		t.Errorf("no round in common: %+v", got)
	}
}

// The best is found among the rounds that contenders have in common: later rounds may be slower.
func TestTheBestIsFoundInCommonRounds(t *testing.T) {
	t.Parallel()
	long := rounds(10, 10.1, 10, 10.1, 10, 10.1, 20, 20, 20, 20, 20, 20, 20, 20)
	short := rounds(11, 11.2, 11, 11.2, 11, 11.2)
	got := stats.Best([][]stats.Sample{long, short}, 0, stats.Options{})
	if got[0].ToBest.Center != 1 || got[1].ToBest.Center < 1.09 || got[1].InBest {
		t.Errorf("%+v", got)
	}
}

// A clear difference below the noise floor is no win.
func TestTheFloor(t *testing.T) {
	t.Parallel()
	a, b := instances(10, 10.1, 10, 10.1, 10.1, 10), instances(10.7, 10.8, 10.8, 10.7, 10.8, 10.7)
	if got := stats.Best([][]stats.Sample{a, b}, 0, stats.Options{}); got[1].InBest {
		t.Errorf("without a floor: %+v", got)
	}
	floor := stats.Floor(a, b, stats.Options{}) // a control that differs by 7 %
	if observed := math.Log(10.75 / 10.05); floor < observed || floor > observed+0.2 {
		t.Errorf("the floor is %g, the observed difference %g", floor, observed)
	}
	if got := stats.Best([][]stats.Sample{a, b}, floor, stats.Options{}); !got[1].InBest || got[1].Known {
		t.Errorf("with a floor: %+v", got)
	}
	for name, test := range map[string][2][]stats.Sample{"one round": {rounds(1), rounds(2)}, "none": {nil, nil}} {
		if f := stats.Floor(test[0], test[1], stats.Options{}); f != 0 {
			t.Errorf("%s: the floor is %g", name, f)
		}
	}
	if f := stats.Floor(rounds(1, 1, 1), rounds(1, 1, 1), stats.Options{}); f != 0 {
		t.Errorf("equal values: the floor is %g", f)
	}
}

// The floor of a control that does not differ is the 99th percentile of Student's t.
func TestTheFloorHasTheStandardErrorInIt(t *testing.T) {
	t.Parallel()
	a, control := rounds(10, 11, 10, 11), rounds(11, 10, 11, 10)
	r, _ := stats.Paired(a, control, stats.Options{})
	if got, want := stats.Floor(a, control, stats.Options{}), 5.841*r.SE; math.Abs(got/want-1) > 0.001 {
		t.Errorf("%g, want %g", got, want)
	}
}

func TestRace(t *testing.T) {
	t.Parallel()
	const c, b, s = stats.Continue, stats.Beaten, stats.Settled
	fast := instances(10, 10.1, 10.1, 10, 10, 10.1)
	slow := instances(20, 20.1, 20.1, 20, 20, 20.3)
	middle := instances(14, 14.1, 14.1, 14, 14, 14.1)
	wide := instances(10, 10.1, 12, 12.1, 9, 9.1)
	for name, test := range map[string]struct {
		contenders [][]stats.Sample
		want       []stats.Decision
	}{
		"clear":               {[][]stats.Sample{slow, fast, middle}, []stats.Decision{b, s, s}},
		"a tie":               {[][]stats.Sample{fast, slow, fast}, []stats.Decision{s, b, s}},
		"too few rounds":      {[][]stats.Sample{slow[:4], fast[:4]}, []stats.Decision{c, c}},
		"unclear":             {[][]stats.Sample{fast, slow, wide}, []stats.Decision{c, b, c}},
		"nobody":              {nil, []stats.Decision{}},
		"slow, and not known": {[][]stats.Sample{instances(16, 16.1, 26, 26.1, 12, 12.1), fast}, []stats.Decision{c, c}},
		"one, known":          {[][]stats.Sample{fast}, []stats.Decision{s}},
		"one, and not known":  {[][]stats.Sample{wide}, []stats.Decision{c}},
	} {
		got := stats.Race(test.contenders, 0, stats.Options{})
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
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
