package stats

import (
	"math"
	"slices"
)

// Decision says whether a contender gets more rounds.
type Decision int

// The decisions of a race.
const (
	Continue Decision = iota // more rounds are needed
	Beaten                   // it costs more than BeatenAt times the best, for certain
	Settled                  // more rounds would not change the answer of the cell
)

const (
	// BeatenAt is the ratio to the best above which a contender is beaten.
	BeatenAt = 1.5
	// LeastRounds is the number of rounds before which no contender is settled, and none is beaten
	// by less than FarBehind.
	LeastRounds = 6

	// FarBehind is the ratio to the best at which a contender is beaten if it is reached in every
	// round, however few there are. Other load on the machine seldom triples a time in one round,
	// and never in all.
	FarBehind = 3
)

// Race decides from the rounds so far which contenders get more rounds. A contender is beaten if
// its family-wise interval lies above [BeatenAt] of the best, or if it is [FarBehind]. The others
// are settled together, when none is [Unclear] and the interval of the best cost is within
// DefaultWidth on either side. Options.Looks of 0 means [RaceLooks].
func Race(contenders [][]Sample, o Options) []Decision {
	if o.Looks == 0 {
		o.Looks = RaceLooks
	}
	c := NewCell(contenders, o)
	var present []int
	for i, points := range c.points {
		if len(points) > 0 {
			present = append(present, i)
		}
	}
	out := make([]Decision, len(contenders))
	best := c.Best(present)
	if best < 0 {
		return out
	}
	for _, i := range present {
		if i != best && c.farBehind(i, best) {
			out[i] = Beaten
		}
	}
	if len(c.points[best]) < LeastRounds {
		return out
	}
	settled := c.costKnown(contenders, best)
	for n, r := range c.RatiosTo(best, present) {
		i := present[n]
		settled = settled && r.Standing() != Unclear
		if i != best && r.Pairs >= LeastRounds && c.ratio(i, best, len(present)).Lo > BeatenAt {
			out[i] = Beaten
		}
	}
	for _, i := range present {
		if settled && out[i] != Beaten {
			out[i] = Settled
		}
	}
	return out
}

// farBehind reports whether a contender took FarBehind times as long as the best in all common
// rounds.
func (c *Cell) farBehind(i, best int) bool {
	d := differences(c.points[i], c.points[best])
	return len(d) > 1 && !slices.ContainsFunc(d, func(p point) bool { return p.log < math.Log(FarBehind) })
}

func (c *Cell) costKnown(contenders [][]Sample, best int) bool {
	o := c.Options
	o.Prior = PoolCenters(contenders)
	cost, ok := Center(contenders[best], o)
	return ok && cost.Bounded() && cost.Hi <= cost.Center*(1+DefaultWidth)
}
