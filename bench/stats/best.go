package stats

import (
	"math"
	"slices"
)

// Standing classifies a contender by the interval of its ratio to the best. The ends of the
// interval are rounded to two decimals first, as tables print them, so a printed interval and
// the standing never disagree.
type Standing int

// The standings.
const (
	Unclear Standing = iota // the interval contains 1 and extends beyond DefaultWidth
	Tie                     // the interval lies within DefaultWidth of 1
	Worse                   // the interval lies above 1 and extends beyond DefaultWidth
)

// Standing returns the standing of a contender whose ratio to the best has the interval i.
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

// Best returns the ratio of each contender to the best one of a cell, as [Cell.RatiosTo] does.
func Best(contenders [][]Sample, o Options) []Ratio {
	c := NewCell(contenders, o)
	all := make([]int, len(contenders))
	for i := range all {
		all[i] = i
	}
	return c.RatiosTo(c.Best(all), all)
}

// Cell holds the ratios of all pairs of contenders that were measured in the same rounds.
type Cell struct {
	Options Options

	points  [][]point
	centers []float64     // costs of the contenders; infinite without samples
	prior   Prior         // common variance of the pairs
	pairs   [][]uncertain // pairs[i][j] is the ratio of i to j; 0 rounds if they share none
	family  int           // number of contenders whose intervals hold together; 0: see RatiosTo
}

// NewCell compares all pairs of contenders.
func NewCell(contenders [][]Sample, o Options) *Cell {
	c := &Cell{Options: o, pairs: make([][]uncertain, len(contenders))}
	present := 0
	for i, a := range contenders {
		c.points = append(c.points, logs(a))
		c.pairs[i] = make([]uncertain, len(contenders))
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
	c.prior = pool(slices.Concat(all, o.Prior.of), float64(present-1+len(o.Prior.of)))
	for n := range all {
		all[n].locate(c.prior.scale)
		i, j := places[n][0], places[n][1]
		u := all[n].error(c.prior)
		c.pairs[i][j] = u
		u.log = -u.log
		c.pairs[j][i] = u
	}
	return c
}

// Prior returns the common variance of the pairs.
func (c *Cell) Prior() Prior { return c.prior }

// Best returns the index of the best contender in among, or -1 if none has samples. It starts
// with the lowest center over all rounds. Contenders may lack rounds, so comparisons of pairs
// decide from there on.
func (c *Cell) Best(among []int) int {
	best, lowest := -1, math.Inf(1)
	for _, i := range among {
		if c.centers[i] < lowest {
			best, lowest = i, c.centers[i]
		}
	}
	for range among { // pairs may form a circle
		next := best
		for _, i := range among {
			if c.pairs[i][best].log < c.pairs[next][best].log {
				next = i
			}
		}
		if next == best {
			break
		}
		best = next
	}
	return best
}

// Settle fixes the family size, so a pair has the same interval in every query. The size is the number of contenders that
// are not [Worse] than the best of their group, in the group where this number is largest.
func (c *Cell) Settle(groups ...[]int) {
	family := 1
	for _, among := range groups {
		left := 0
		for _, r := range c.RatiosTo(c.Best(among), among) {
			if r.Standing() != Worse {
				left++
			}
		}
		family = max(family, left)
	}
	c.family = family
}

// RatiosTo returns the ratios of contenders to one of them, lead, in the order of among. The ratio of lead to itself is
// exactly 1. A contender without a common round has no Pairs and no interval.
//
// The intervals are those of [Cell.Settle]. Without it they hold together for the contenders that are not [Worse]: in
// each step the worse ones leave, at the critical value for all that took part in the step.
func (c *Cell) RatiosTo(lead int, among []int) []Ratio {
	out := make([]Ratio, len(among))
	for left, before := len(among), 0; left != before; {
		before, left = left, 0
		for n, i := range among {
			if out[n] = c.Ratio(i, lead); c.family == 0 {
				out[n] = c.ratio(i, lead, before)
			}
			if written(out[n].Lo) <= 1 {
				left++
			}
		}
	}
	return out
}

// Ratio returns the ratio of a contender to another one, with the interval of [Cell.Settle].
func (c *Cell) Ratio(i, of int) Ratio { return c.ratio(i, of, c.family) }

// ratio returns the ratio of two contenders, with the critical value for k contenders.
func (c *Cell) ratio(i, of, k int) Ratio {
	if of < 0 {
		return Ratio{Interval: Interval{Hi: math.Inf(1)}}
	}
	if i == of {
		_, level := outermost(c.points[i])
		return Ratio{Interval: Interval{Center: 1, Lo: 1, Hi: 1, Level: level}, Pairs: len(c.points[i]), P: 1}
	}
	u := c.pairs[i][of]
	if u.df <= 0 {
		return u.within(0, c.Options)
	}
	return u.within(critical(k, u.df, c.Options), c.Options)
}
