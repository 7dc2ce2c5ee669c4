package stats

import "math"

// Decision says whether a contender gets more rounds.
type Decision int

// The decisions of a race.
const (
	Continue Decision = iota // more rounds are needed
	Beaten                   // it costs more than BeatenAt times the best, for certain
	Settled                  // more rounds would not change the answer of the cell
)

func (d Decision) String() string {
	return [...]string{"continue", "beaten", "settled"}[d]
}

const (
	// BeatenAt is the ratio to the best above which a contender is beaten.
	BeatenAt = 1.5
	// LeastRounds is the number of rounds before which nobody is beaten or settled.
	LeastRounds = 6
)

// Race decides from the rounds so far who gets more of them. The floor is that of [Best].
// A contender is beaten if its family-wise interval lies above [BeatenAt] of the best. The
// others are settled together: when each contender in the set of the best is [Standing.Known], and
// the cost of the best lies in an interval that is Options.Width wide on either side. Options.Looks of 0
// means [RaceLooks].
func Race(contenders [][]Sample, floor float64, o Options) []Decision {
	if o.Looks == 0 {
		o.Looks = RaceLooks
	}
	c := newCell(contenders, o)
	out := make([]Decision, len(contenders))
	if c.best < 0 || len(c.points[c.best]) < LeastRounds {
		return out
	}
	for _, i := range c.present {
		u := c.pairs[i][c.best]
		if i == c.best || u.rounds < LeastRounds || u.df <= 0 {
			continue
		}
		if u.log-u.se*critical(len(c.present), u.df, o) > math.Log(BeatenAt) {
			out[i] = Beaten
		}
	}
	if !c.settled(contenders, floor) {
		return out
	}
	for _, i := range c.present {
		if out[i] != Beaten {
			out[i] = Settled
		}
	}
	return out
}

func (c *cell) settled(contenders [][]Sample, floor float64) bool {
	for _, s := range c.standings(floor) {
		if s.InBest && !s.Known {
			return false
		}
	}
	o := c.options
	o.Prior = PoolCenters(contenders)
	cost, ok := Center(contenders[c.best], o)
	return ok && cost.Bounded() && cost.Hi <= cost.Center*(1+o.width())
}
