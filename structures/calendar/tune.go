package calendar

import (
	"math/bits"
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// The calendar suits its timers when a timer costs few days to find and few
// steps to insert. There are twice as many timers as buckets at most, and half as
// many at least; how long a day is, is settled in two ways:
//
//   - When the number of timers has doubled or halved, the buckets do, and the
//     separation of timers is sampled anew.
//   - In between accounts are kept of what timers cost. Are too many days visited,
//     days become longer; are too many steps taken, days become shorter. So a bad
//     sample, or timers of another kind, do no lasting harm.
//
// To rebuild the calendar costs about as much as was overspent by then, so that
// even timers for which no length suits cost about twice as much and not more.
const (
	minWidth = 3  // of the year: 8 days
	maxShift = 62 // of the day: half of all ticks

	daysAllowed  = 8 // visits for each timer found; a day costs little, as buckets lie in order
	stepsAllowed = 2 // for each timer inserted
	samples      = 64
)

// widthFor returns the width of a year with room for n timers.
func widthFor(n int) int {
	return max(minWidth, bits.Len(uint(max(n, 1)-1)/2))
}

// account is what timers have cost beyond what is allowed, since it was last
// settled. Neither sum goes below 0, lest good times pay for bad ones.
type account struct {
	visits   int // of days
	steps    int // to insert timers
	inserted int // timers, since then
	change   int // of shift, when it was settled
}

// spendVisits notes that days were visited.
func (c *core) spendVisits(visits int) {
	c.account.visits += visits
	if c.account.visits > daysAllowed*(c.size+len(c.buckets)) {
		c.retune(+1)
	}
}

// earnVisits notes that the earliest timer has gone, and another has to be found.
func (c *core) earnVisits() {
	c.account.visits = max(0, c.account.visits-daysAllowed)
}

// spendSteps notes what it took to insert a timer.
func (c *core) spendSteps(steps int) {
	c.account.inserted++
	c.account.steps = max(0, c.account.steps+steps-stepsAllowed)
	if c.account.steps > c.size+len(c.buckets) {
		c.retune(-1)
	}
}

// retune makes days longer if direction is 1 and shorter if it is -1: twice as
// long or half as long, and if soon after that turns out not to be enough four
// times, then 16 times and so on.
func (c *core) retune(direction int) {
	soon := c.account.inserted <= 2*c.size
	if soon && c.account.change*direction > 0 {
		direction = 2 * c.account.change
	}
	c.account = account{change: direction}
	if shift := clamp(c.shift + direction); shift != c.shift {
		c.rebuild(c.width, shift)
	}
}

func clamp(shift int) int { return min(max(shift, 0), maxShift) }

// resize makes the year as long as the number of timers wants. More timers never
// want longer days: if the sample says otherwise, it is the sample that is wrong.
// Only a calendar of the least size, which has seen few timers, takes its word.
func (c *core) resize(width int) {
	shift := c.sample()
	if c.width > minWidth && width > c.width {
		shift = min(shift, c.shift)
	}
	c.account = account{}
	c.rebuild(width, shift)
}

// sample returns the shift of days somewhat shorter than timers are apart. It
// looks at the first timers of up to 64 buckets, and takes the earliest quarter of
// them for the earliest quarter of all timers: what is far away, and how far, does
// not matter yet.
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

// rebuild lays the calendar out anew, with years of 2^width days of 2^shift
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
// are never too crowded, as timers of one deadline are inserted at once.
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
