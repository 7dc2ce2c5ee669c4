package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
)

// Sample is one measurement: the cost of a contender in a round, in any unit.
type Sample struct {
	Instance int // instance of the contender
	Round    int // contenders replay the same operations in a round
	Value    float64
}

// Samples returns the usable trials as costs per unit, in nanoseconds.
func Samples(trials []results.Trial) []Sample {
	var out []Sample
	for _, t := range trials {
		if t.Usable() {
			out = append(out, Sample{Instance: t.Instance, Round: t.Round, Value: t.NS / t.Units})
		}
	}
	return out
}

// Estimate is a median with its 95 % interval.
type Estimate struct {
	Center float64    `json:"center"`
	Lo     float64    `json:"lo"`
	Hi     float64    `json:"hi"`
	Rounds int        `json:"-"`             // 0: nothing is known
	Few    bool       `json:"few,omitempty"` // fewer than six rounds, so Lo and Hi are the least and the largest
	Groups [2]float64 `json:"-"`             // of a cost: the medians of the two groups into which the rounds fall; 0: they do not
}

// TwoGroups names the two groups into which the rounds fall, after a word; empty: they do not.
func (e Estimate) TwoGroups(of string) string {
	if e.Groups[1] == 0 {
		return ""
	}
	return fmt.Sprintf("%stwo groups: %s and %s", of, show.Figure(e.Groups[0]), show.Figure(e.Groups[1]))
}

// OK reports whether there is an estimate.
func (e Estimate) OK() bool { return e.Rounds > 0 }

// Bounded reports whether the interval is one of 95 %, and no range of a few rounds.
func (e Estimate) Bounded() bool { return e.OK() && !e.Few }

// Times returns the estimate of factor times the value.
func (e Estimate) Times(factor float64) Estimate {
	e.Center, e.Lo, e.Hi = factor*e.Center, factor*e.Lo, factor*e.Hi
	return e
}

// Differs reports whether the 95 % interval excludes 1.
func (e Estimate) Differs() bool { return e.Bounded() && (e.Lo > 1 || e.Hi < 1) }

// Confidence is the confidence of every interval.
const Confidence = 0.95

// LeastRounds is the number of rounds from which on the least and the largest value hold the median with a probability of
// [Confidence].
const LeastRounds = 6

// MedianOf returns the median of values, or NaN if there are none.
func MedianOf(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	low, high := sorted[(n-1)/2], sorted[n/2]
	if low == high { // infinite, too
		return low
	}
	return low + (high-low)/2
}

// Median returns the median of the samples and its interval.
func Median(samples []Sample) Estimate {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = s.Value
	}
	e := estimate(values, func(a, b float64) float64 { return a + (b-a)/2 })
	e.Groups[0], e.Groups[1] = twoGroups(values)
	return e
}

// ByRound returns the values of samples by their rounds.
func ByRound(samples []Sample) map[int]float64 {
	out := make(map[int]float64, len(samples))
	for _, s := range samples {
		out[s.Round] = s.Value
	}
	return out
}

// Ratios returns the ratios of the common rounds of a and b. A value of 0 or less is below what can be measured: the ratio to it
// is infinite, and a round with two such values does not count.
func Ratios(a, b []Sample) (ratios []float64) {
	byRound := ByRound(b)
	for _, s := range a {
		switch of, ok := byRound[s.Round]; {
		case !ok || s.Value <= 0 && of <= 0:
		case of <= 0:
			ratios = append(ratios, math.Inf(1))
		default:
			ratios = append(ratios, max(0, s.Value/of))
		}
	}
	return ratios
}

// Ratio returns the median of the ratios of the common rounds of a and b, and its interval. The middle of two ratios is their
// geometric mean, so the ratio of b to a is the inverse.
func Ratio(a, b []Sample) Estimate {
	e := estimate(Ratios(a, b), func(a, b float64) float64 { return math.Sqrt(a * b) })
	if !(e.Center > 0) || math.IsInf(e.Center, 1) {
		return Estimate{}
	}
	return e
}

// Less subtracts the costs of a loop from those of the same rounds. Rounds without a cost of the loop are left out.
func Less(costs, loop []Sample) []Sample {
	of := ByRound(loop)
	var out []Sample
	for _, s := range costs {
		if least, ok := of[s.Round]; ok {
			s.Value -= least
			out = append(out, s)
		}
	}
	return out
}

func estimate(values []float64, middle func(a, b float64) float64) Estimate {
	slices.Sort(values)
	n := len(values)
	if n == 0 {
		return Estimate{}
	}
	e := Estimate{Center: values[n/2], Rounds: n, Few: n < LeastRounds}
	if n%2 == 0 && values[n/2-1] != values[n/2] {
		e.Center = middle(values[n/2-1], values[n/2])
	}
	k := rank(n)
	e.Lo, e.Hi = values[k], values[n-1-k]
	return e
}

// rank returns the largest k such that the k-th values from either end, counted from 0, hold the median with a probability of
// [Confidence]. It is 0 for few values.
func rank(n int) int {
	// Each value is below the median with a probability of 1/2. below is the probability that at most k of n are, and exactly the
	// logarithm of the probability that k are, because 2^-n is 0 for a thousand values.
	exactly, below := -float64(n)*math.Ln2, 0.0
	for k := range n {
		if below += math.Exp(exactly); below > (1-Confidence)/2 {
			return max(0, k-1)
		}
		exactly += math.Log(float64(n-k) / float64(k+1))
	}
	return 0
}

// The rule of two groups (chosen): the gap, and the share of the rounds that the smaller group has at least.
const (
	gap          = 1.5
	leastOfGroup = 4 // a quarter
)

// twoGroups returns the medians of the two groups into which sorted values fall, or zeros: a value is at least half as large again
// as the next smaller one, and at least a quarter of the values, and two, lie on either side.
func twoGroups(sorted []float64) (low, high float64) {
	n, at, widest := len(sorted), 0, gap
	least := max(2, (n+leastOfGroup-1)/leastOfGroup)
	for i := least; i <= n-least; i++ {
		if sorted[i-1] > 0 && sorted[i]/sorted[i-1] >= widest {
			at, widest = i, sorted[i]/sorted[i-1]
		}
	}
	if at == 0 {
		return 0, 0
	}
	return MedianOf(sorted[:at]), MedianOf(sorted[at:])
}

// ByChance returns the probability that at least differ of all comparisons of a structure with itself exclude 1 by chance, if each
// interval has the confidence of [Confidence]. A small probability means that the intervals of the run are too narrow.
func ByChance(differ, all int) float64 {
	if differ <= 0 {
		return 1
	}
	return 1 - distuv.Binomial{N: float64(all), P: 1 - Confidence}.CDF(float64(differ-1))
}
