package stats

import (
	"math"
	"slices"
)

// Standing classifies a contender by its ratio to the best.
type Standing int

// The standings.
const (
	Unclear Standing = iota // it may be the best, and it may be worse by more than DefaultWidth
	Tie                     // the printed interval lies within DefaultWidth of 1
	Worse                   // it is certainly not the best, and not a tie
)

// Standing returns the standing of a contender in a question, by its ratio to the best: see [Judge].
func (r Ratio) Standing() Standing {
	standing := r.Interval.Standing()
	if standing != Tie && r.Worse {
		return Worse
	}
	if standing == Worse {
		return Unclear
	}
	return standing
}

// Standing returns the standing by a single comparison.
func (i Interval) Standing() Standing {
	switch {
	case written(i.Lo) >= 1-DefaultWidth && written(i.Hi) <= 1+DefaultWidth:
		return Tie
	case i.Side() > 0:
		return Worse
	}
	return Unclear
}

// Side returns the side of 1 on which the printed interval lies: -1 below, 1 above, 0 neither.
func (i Interval) Side() int {
	switch {
	case written(i.Lo) > 1:
		return 1
	case written(i.Hi) < 1:
		return -1
	}
	return 0
}

// written rounds a ratio as tables show it.
func written(ratio float64) float64 { return math.Round(100*ratio) / 100 }

// Pairs holds the ratios of all pairs of contenders that were measured in the same rounds.
type Pairs struct {
	Options Options

	points  [][]point
	centers []float64 // costs of the contenders; infinite without samples
	pairs   [][]Ratio // pairs[i][j] is the ratio of i to j; 0 Pairs if they share no round
}

// NewPairs compares all pairs of contenders. Their own rounds alone tell the noise: o.Prior is not used.
func NewPairs(contenders [][]Sample, o Options) *Pairs {
	c := &Pairs{Options: o, pairs: make([][]Ratio, len(contenders))}
	present := 0
	for i, a := range contenders {
		c.points = append(c.points, logs(a))
		c.pairs[i] = make([]Ratio, len(contenders))
		c.centers = append(c.centers, math.Inf(1))
		if len(c.points[i]) > 0 {
			present++
			c.centers[i] = center(c.points[i], mad(c.points[i]))
		}
	}
	var all []estimate
	var places [][2]int
	for i, a := range c.points {
		for j, b := range c.points[:i] {
			if d := differences(a, b); len(d) > 0 {
				all, places = append(all, estimateOf(d)), append(places, [2]int{i, j})
			}
		}
	}
	c.Options.Prior = pool(all, float64(present-1))
	for n := range all {
		i, j := places[n][0], places[n][1]
		r := all[n].ratio(c.Options)
		c.pairs[i][j] = r
		c.pairs[i][j].far = farBehind(all[n].units, 1)
		r.far = farBehind(all[n].units, -1)
		r.Center, r.Lo, r.Hi = 1/r.Center, 1/r.Hi, 1/r.Lo // an unknown interval stays unknown
		c.pairs[j][i] = r
	}
	return c
}

// Best returns the index of the best contender in among, or -1 if none has samples. It starts
// with the lowest center over all rounds. Contenders may lack rounds, so comparisons of pairs
// decide from there on.
func (c *Pairs) Best(among []int) int {
	best, lowest := -1, math.Inf(1)
	for _, i := range among {
		if c.centers[i] < lowest {
			best, lowest = i, c.centers[i]
		}
	}
	for range among { // pairs may form a circle
		next, least := best, 1.0
		for _, i := range among {
			if r := c.pairs[i][best]; r.Pairs > 0 && r.Center < least {
				next, least = i, r.Center
			}
		}
		if next == best {
			break
		}
		best = next
	}
	return best
}

// Optimism returns by how much the logarithm of the cost of the best in among is too low on average because it was chosen
// as the lowest. Each half of the rounds chooses a best one. The other half tells how much its choice seemed better than it
// is. All rounds together err by less than a half does, by the root of 2. Influences that all contenders share cancel.
func (c *Pairs) Optimism(best int, among []int) float64 {
	half := func(p point) int { return p.round % 2 }
	if instances(c.points[best]) > 1 {
		half = func(p point) int { return p.instance % 2 }
	}
	var chosen [2]int
	var costs [2][]float64 // relative to the best
	for h := range costs {
		costs[h] = make([]float64, len(among))
		for n, i := range among {
			d := slices.DeleteFunc(differences(c.points[i], c.points[best]), func(p point) bool { return half(p) != h })
			if costs[h][n] = math.Inf(1); len(d) > 0 {
				costs[h][n] = center(d, max(mad(d), c.Options.Prior.scale))
			}
			if costs[h][n] < costs[h][chosen[h]] {
				chosen[h] = n
			}
		}
	}
	sum := 0.0
	for h := range costs {
		sum += costs[h][chosen[1-h]] - costs[h][chosen[h]]
	}
	if math.IsInf(sum, 0) || math.IsNaN(sum) { // one half is empty
		return 0
	}
	return sum / 2 / math.Sqrt2
}

// RatiosTo returns the ratios of contenders to one of them, lead, in the order of among. The ratio of lead to itself is
// exactly 1. A contender without a common round has no Pairs and no interval.
//
// [Judge] sets Worse.
func (c *Pairs) RatiosTo(lead int, among []int) []Ratio {
	out := make([]Ratio, len(among))
	for n, i := range among {
		out[n] = c.Ratio(i, lead)
	}
	// A contender that dropped out early shares few rounds with lead, and one of these may have been bad for lead alone.
	// It is not the best either if it is far behind another contender with enough rounds.
	for n, i := range among {
		out[n].far = out[n].far || i != lead && slices.ContainsFunc(among, func(j int) bool {
			return c.pairs[i][j].far && c.pairs[j][lead].Pairs >= LeastRounds
		})
	}
	Judge(out)
	return out
}

// Ratio returns the ratio of a contender to another one, with the interval of a single comparison.
func (c *Pairs) Ratio(i, of int) Ratio {
	switch {
	case of < 0 || i != of && c.pairs[i][of].Pairs == 0:
		return Ratio{}.bounded()
	case i == of:
		_, level := units(c.points[i])
		return Ratio{Interval: Interval{Center: 1, Lo: 1, Hi: 1, Level: level}, Pairs: len(c.points[i]), P: 1}
	}
	return c.pairs[i][of]
}

const (
	// LeastRounds is the number of common rounds below which only FarBehind tells a difference.
	LeastRounds = 6

	// FarBehind is the mean ratio to the best that tells a difference if there are at least leastFar
	// rounds, and none has a ratio below everyFar. Other load seldom doubles a time in one round.
	FarBehind, everyFar, leastFar = 2, 1.5, 3

	// The largest autocorrelation of rounds with which smaller differences are told, and that with fewer
	// than many rounds. It is estimated from the same rounds, so it may be larger than it seems.
	mostPersistent, mostOfFew, many = 0.4, 0.3, 24
)

// farBehind reports whether a contender with these ratios, to the power of sign, is far behind.
func farBehind(ratios [][]point, sign float64) bool {
	sum, n := 0.0, 0
	for _, p := range slices.Concat(ratios...) {
		if sign*p.log < math.Log(everyFar) {
			return false
		}
		sum, n = sum+sign*p.log, n+1
	}
	return n >= leastFar && sum >= float64(n)*math.Log(FarBehind)
}

// Judge sets Worse in the ratios of all contenders of a question to the best one. With the default
// confidence for the whole question, no contender that is the best becomes worse (a one-sided comparison with
// the best, Hsu 1984). Contenders that are worse leave, and the critical value is that of
// the remaining number.
func Judge(ratios []Ratio) {
	left := 0
	for i := range ratios {
		ratios[i].Worse = ratios[i].far
	}
	for before := -1; left != before; {
		before, left = left, 0
		for _, r := range ratios {
			if !r.Worse && r.Pairs > 0 {
				left++
			}
		}
		for i := range ratios {
			r := &ratios[i]
			r.Worse = r.Worse || r.tells() && math.Log(r.Center) > critical(left, r.DF)*r.SE
		}
	}
}

// Agreeing returns the ratio with Worse only if the printed interval excludes 1, or if the contender is far behind.
func (r Ratio) Agreeing() Ratio {
	r.Worse = r.Worse && (r.far || r.Side() > 0)
	return r
}

// tells reports whether the interval may tell a difference.
func (r Ratio) tells() bool {
	most := mostPersistent
	if r.Pairs < many {
		most = mostOfFew
	}
	return r.Bounded() && r.Pairs >= LeastRounds && r.serial <= most
}

// Average returns the geometric mean of ratios from different cells, by weight. Ratios without a common round do not count.
func Average(ratios []Ratio, weights []float64) Ratio {
	var of []Ratio
	var shares []float64
	total := 0.0
	for i, r := range ratios {
		if r.Pairs > 0 {
			of, shares = append(of, r), append(shares, weights[i])
			total += weights[i]
		}
	}
	if len(of) < 2 {
		return append(of, Ratio{}.bounded())[0]
	}
	var out Ratio
	var log, variance float64
	var variances, dfs []float64
	out.far = true
	for i, r := range of {
		share := shares[i] / total
		log += share * math.Log(r.Center)
		variances, dfs = append(variances, share*share*r.SE*r.SE), append(dfs, r.DF)
		variance += variances[i]
		out.Pairs, out.serial, out.far = out.Pairs+r.Pairs, out.serial+share*r.serial, out.far && r.far
	}
	return out.Moved(log, math.Sqrt(variance), Freedom(variances, dfs))
}
