package stats

import (
	"math"
	"slices"
)

// Standing is what is known of one contender of a cell.
type Standing struct {
	// InBest: no other contender is better than this one at the family-wise confidence
	// and by more than the floor.
	InBest bool

	// Known: the interval of ToBest lies within Options.Width of 1. A contender that is
	// InBest and Known ties with the best; one that is InBest and not Known is unclear.
	Known bool

	// ToBest is the cost as a multiple of that of the contender with the lowest center.
	// Its interval is for this one comparison. It is exactly 1 for that contender.
	ToBest Ratio
}

// Best returns the standing of each contender of a cell. The floor is a log ratio, see
// [Floor]. One without samples is not in the set of the best.
func Best(contenders [][]Sample, floor float64, o Options) []Standing {
	return newCell(contenders, o).standings(floor)
}

// cell holds all pairs of contenders.
type cell struct {
	options Options
	points  [][]point
	ratios  [][]Ratio // ratios[i][j] is that of i to j; Pairs is 0 without common rounds
	present []int     // contenders with points
	best    int       // index of the contender with the lowest center; -1: none
}

func newCell(contenders [][]Sample, o Options) *cell {
	c := &cell{options: o, points: logsOf(contenders), best: -1}
	o.Prior = poolPairs(c.points)
	c.ratios = make([][]Ratio, len(contenders))
	for i := range c.ratios {
		c.ratios[i] = make([]Ratio, len(contenders))
		for j := range i {
			r, ok := pairedPoints(c.points[i], c.points[j], o)
			if ok {
				c.ratios[i][j], c.ratios[j][i] = r, r.inverse()
			}
		}
		if len(c.points[i]) > 0 {
			c.present = append(c.present, i)
		}
	}
	c.findBest()
	return c
}

func (r Ratio) inverse() Ratio {
	inv := r
	inv.Center, inv.Lo, inv.Hi = 1/r.Center, 1/r.Hi, 1/r.Lo
	return inv
}

// findBest begins with the lowest center over all rounds. Contenders differ in the rounds that
// they took part in, so the pairs decide from there on.
func (c *cell) findBest() {
	lowest := math.Inf(1)
	for _, i := range c.present {
		if m := center(c.points[i]); m < lowest {
			c.best, lowest = i, m
		}
	}
	for range c.present { // pairs may form a circle
		next := c.best
		for _, i := range c.present {
			if r := c.ratios[i][c.best]; r.Pairs > 0 && r.Center < 1 &&
				(next == c.best || r.Center < c.ratios[next][c.best].Center) {
				next = i
			}
		}
		if next == c.best {
			return
		}
		c.best = next
	}
}

func (c *cell) standings(floor float64) []Standing {
	out := make([]Standing, len(c.points))
	if c.best < 0 {
		return out
	}
	for _, i := range c.setOfBest(floor) {
		out[i].InBest = true
	}
	one := 1 + c.options.width()
	for _, i := range c.present {
		out[i].ToBest = c.ratios[i][c.best]
		if i == c.best {
			out[i].ToBest = Ratio{Interval: Interval{Center: 1, Lo: 1, Hi: 1}, Pairs: len(c.points[i]), P: 1}
		}
		r := out[i].ToBest
		out[i].Known = r.Bounded() && r.Hi <= one && r.Lo >= 1/one
	}
	return out
}

// setOfBest removes contenders one at a time, the one that is beaten by most first. The
// critical value is that of the number of those left.
func (c *cell) setOfBest(floor float64) []int {
	left := slices.Clone(c.present)
	for {
		worst, most := -1, 0.0
		for _, i := range left {
			for _, j := range left {
				if over := c.beats(j, i, floor, len(left)); over > most {
					worst, most = i, over
				}
			}
		}
		if worst < 0 {
			return left
		}
		left = slices.DeleteFunc(left, func(i int) bool { return i == worst })
	}
}

// beats returns by how much j is better than i as a multiple of the critical value for k
// contenders, and 0 if it is not.
func (c *cell) beats(j, i int, floor float64, k int) float64 {
	r := c.ratios[i][j]
	if r.Pairs == 0 || !r.Bounded() || r.Center <= 1 {
		return 0
	}
	effect := math.Log(r.Center)
	if effect <= floor {
		return 0
	}
	if over := effect / (r.SE * critical(k, r.DF, c.options)); over > 1 {
		return over
	}
	return 0
}
