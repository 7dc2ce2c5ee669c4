package calendar

import (
	"math/bits"
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// A calendar is good if it takes few visits of days to find a timer and few steps to
// insert one. There are at most twice as many timers as buckets, and at least half as
// many. The length of a day is chosen in two ways:
//
//   - When the number of timers has doubled or halved, so does that of buckets, and the
//     separation of timers is sampled again.
//   - In between, what timers cost beyond an allowance is added up. Too many visits make
//     days longer, too many steps make them shorter. So a bad sample, or timers of
//     another kind, do no lasting harm.
//
// To rebuild the calendar costs about as much as that sum, so that timers for which no
// length is good cost about twice as much and not more.
const (
	minWidth = 3  // of the year: 8 days
	maxShift = 62 // of the day: half of all ticks

	visitsAllowed = 8 // for each timer found; a visit costs little, as the next bucket is the next in memory
	stepsAllowed  = 2 // for each timer inserted
	samples       = 64
)

// widthFor returns the width of a year with room for n timers.
func widthFor(n int) int {
	return max(minWidth, bits.Len(uint(max(n, 1)-1)/2))
}

// excess is what timers have cost beyond what is allowed since the length of a day was
// changed. Neither sum goes below 0, so that cheap timers do not pay for dear ones.
type excess struct {
	visits   int // of days
	steps    int // to insert timers
	inserted int // timers
	change   int // of shift, the last time
}

// countVisits adds visits of days, and makes days longer if they were too many.
func (c *core) countVisits(visits int) {
	c.excess.visits += visits
	if c.excess.visits > visitsAllowed*(c.size+len(c.buckets)) {
		c.retune(+1)
	}
}

// allowVisits allows the visits for finding one more timer, as the earliest was removed.
func (c *core) allowVisits() {
	c.excess.visits = max(0, c.excess.visits-visitsAllowed)
}

// countSteps adds the steps that it took to insert a timer, and makes days shorter if
// they were too many.
func (c *core) countSteps(steps int) {
	c.excess.inserted++
	c.excess.steps = max(0, c.excess.steps+steps-stepsAllowed)
	if c.excess.steps > c.size+len(c.buckets) {
		c.retune(-1)
	}
}

// retune makes days longer if direction is 1 and shorter if it is -1: by a factor of
// two, and if soon after that turns out not to be enough of four, then 16 and so on.
func (c *core) retune(direction int) {
	soon := c.excess.inserted <= 2*c.size
	if soon && c.excess.change*direction > 0 {
		direction = 2 * c.excess.change
	}
	c.excess = excess{change: direction}
	if shift := clamp(c.shift + direction); shift != c.shift {
		c.rebuild(c.width, shift)
	}
}

func clamp(shift int) int { return min(max(shift, 0), maxShift) }

// resize makes the year as long as the number of timers requires. More timers never
// require longer days: if the sample says so, the sample is wrong. Only a calendar of
// the least size, which has seen few timers, believes it.
func (c *core) resize(width int) {
	shift := c.sample()
	if c.width > minWidth && width > c.width {
		shift = min(shift, c.shift)
	}
	c.excess = excess{}
	c.rebuild(width, shift)
}

// sample returns the shift of days somewhat shorter than timers are apart. It
// looks at the first timers of up to 64 buckets, and takes the earliest quarter of
// them for the earliest quarter of all timers. Timers far away do not matter yet.
func (c *core) sample() (shift int) {
	var room [samples]structures.Tick
	sample := room[:0]
	stride := max(1, len(c.buckets)/samples)
	for i := 0; i < len(c.buckets); i += stride {
		for _, l := range c.buckets[i : i+stride] {
			if l.head != none {
				sample = append(sample, c.nodes[l.head].deadline)
				break
			}
		}
	}
	if len(sample) < 2 {
		return c.shift
	}
	slices.Sort(sample)
	quarter := max(1, len(sample)/4)
	span := uint64(sample[quarter] - sample[0])
	timers := max(1, uint64(c.size)*uint64(quarter)/uint64(len(sample)))
	return clamp(bits.Len64(span/timers) - 1)
}

// rebuild inserts all timers again, into years of 2^width days of 2^shift
// ticks, or of shorter ones if these are too crowded.
func (c *core) rebuild(width, shift int) {
	today := c.today << c.shift // the tick at which it begins
	all := c.gather()
	c.setWidth(width)
	c.shift = shift
	for rest := c.scatter(all.head); rest != none; {
		done := c.gather()
		c.nodes[done.tail].next = rest
		c.shift = clamp(c.shift - 2)
		rest = c.scatter(done.head)
	}
	c.today = today >> c.shift
	if c.first != none {
		c.today = c.day(c.nodes[c.first].deadline)
	}
}

// scatter inserts the timers of a chain, in its order, until it has taken too
// many steps, and returns the first one that it did not insert. Days of one tick
// are never too crowded, as it takes no steps to insert timers of one deadline.
func (c *core) scatter(slot uint32) (rest uint32) {
	left := 2 * (c.size + len(c.buckets))
	for slot != none && (left > 0 || c.shift == 0) {
		next := c.nodes[slot].next
		left -= c.insert(slot)
		c.work.Moved++
		slot = next
	}
	return slot
}
