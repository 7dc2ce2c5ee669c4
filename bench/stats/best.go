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
	prior   Prior         // of the pairs
	pairs   [][]uncertain // pairs[i][j] is the ratio of i to j; no rounds: they have none in common
	present []int         // contenders with points
	best    int           // the contender with the lowest center; -1: none
}

func newCell(contenders [][]Sample, o Options) *cell {
	c := &cell{options: o, best: -1, pairs: make([][]uncertain, len(contenders))}
	for i, a := range contenders {
		c.points = append(c.points, logs(a))
		c.pairs[i] = make([]uncertain, len(contenders))
		if len(c.points[i]) > 0 {
			c.present = append(c.present, i)
		}
	}
	var all []estimate
	var places [][2]int
	for _, i := range c.present {
		for _, j := range c.present {
			if d := differences(c.points[i], c.points[j]); j < i && len(d) > 0 {
				all, places = append(all, estimateOf(d)), append(places, [2]int{i, j})
			}
		}
	}
	c.prior = pool(all, float64(len(c.present)-1))
	for n := range all {
		i, j := places[n][0], places[n][1]
		u := all[n].error(c.prior)
		c.pairs[i][j] = u
		u.log = -u.log
		c.pairs[j][i] = u
	}
	c.findBest()
	return c
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
			if c.pairs[i][c.best].log < c.pairs[next][c.best].log {
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
		r := c.pairs[i][c.best].ratio(c.options)
		if i == c.best {
			_, level := outermost(c.points[i])
			r = Ratio{Interval: Interval{Center: 1, Lo: 1, Hi: 1, Level: level}, Pairs: len(c.points[i]), P: 1}
		}
		out[i].ToBest = r
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
	u := c.pairs[i][j]
	if u.df <= 0 || u.log <= floor {
		return 0
	}
	if over := u.log / (u.se * critical(k, u.df, c.options)); over > 1 {
		return over
	}
	return 0
}
