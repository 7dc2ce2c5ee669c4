// Package calendar keeps timers in a calendar queue, one of the event lists of the network simulator [ns-3].
//
// Pedigree. Brown (1988). There is a bucket for each day of a year, which holds the timers of that day
// in order, those of every year. To find the next timer, the queue visits day after day. If nothing is
// due for a year, it compares the first timers of all buckets. It doubles or halves the number of
// buckets when the number of timers has doubled or halved, and samples the gaps between timers, so that
// a bucket holds few timers and few buckets are empty. Differences here:
//
//   - The length of a day is also corrected between resizes, when timers cost too much.
//   - A day is a power of two ticks, and somewhat shorter than a gap. Brown's is three times a gap. To
//     visit an empty bucket costs less than to read a full one.
//   - Each year begins at another bucket, so multiples of an interval do not share a bucket.
//   - The place in a bucket is searched from both ends, so a crowd of equal deadlines costs nothing to pass.
//
// Costs, for n timers: all operations O(1) on average, if the deadlines are spread evenly enough for a single length
// of day. A call that resizes costs O(n), some tens of milliseconds for a million timers. If dense and sparse times
// alternate, a timer may cost O(sqrt(n)), and against an adversary O(n). A wake-up on which nothing fires visits each
// day once. A timer takes 16 bytes, plus its value and ID, and 4 to 16 bytes of buckets.
//
// Work counts SlotsVisited, buckets that were read in search of the next timer; EmptySlots, the empty
// ones; Moved, timers that changed their bucket in a resize; and Comparisons of two deadlines.
//
// Pick it for simulations: many timers that mostly fire, a clock that jumps from one to the next, and no harm in a
// long call. Pick rbtree if every call must be short, and hwheel if the clock ticks or most timers are cancelled.
//
// [ns-3]: https://github.com/nsnam/ns-3-dev-git/blob/6ef966c4cff65615f7ff43fd6c856b6a9374ecdf/src/core/model/calendar-scheduler.cc
package calendar

import (
	"math"
	"math/bits"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*Queue[int])(nil)

// Option sets a parameter of a Queue.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("calendar", n, slab.MaxCapacity)} }

// Queue is a calendar queue of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Queue[T any] struct{ base[T] }
type base[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty queue at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Queue[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &Queue[T]{slotted.New[T](newCore(n), n)}
}

// Schedule adds a timer that is due at deadline. It costs O(1) expected, and O(n) if it resizes.
func (q *Queue[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return q.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs as much as Cancel and Schedule.
func (q *Queue[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return q.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(1), and O(n) if it resizes.
func (q *Queue[T]) Cancel(id structures.ID) bool { return q.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are FIFO. It costs O(1) expected; a resize O(n).
func (q *Queue[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return q.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1) expected, and the next Pop then saves the search.
func (q *Queue[T]) Next() (at structures.Tick, ok bool) { return q.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (q *Queue[T]) Len() int { return q.base.Len() }

// core is the queue of slots: a calendar of days of 2^shift ticks, and years of 2^width days. A
// bucket holds the timers of one day of every year, by deadline. No timer is due before today.
// first is the earliest timer, which is due today, or none while it is not known.
type core struct {
	nodes   fifo.Lists
	buckets []fifo.List
	shift   int
	width   int
	size    int // timers in the calendar
	today   uint64
	first   uint32
	excess  excess
	work    structures.Work
}

func newCore(capacity int) core {
	c := core{nodes: fifo.New(capacity), buckets: make([]fifo.List, 0, 1<<widthFor(capacity))}
	c.setWidth(minWidth)
	return c
}

func (c *core) day(tick structures.Tick) uint64 { return uint64(tick) >> c.shift }

// bucket returns the bucket of a day. The days of a year have consecutive buckets, and each year begins at one that
// Fibonacci hashing chooses, so that multiples of a long interval do not share a few.
func (c *core) bucket(day uint64) *fifo.List {
	start := day >> c.width * 0x9e3779b97f4a7c15 >> (64 - c.width)
	return &c.buckets[(day+start)&uint64(len(c.buckets)-1)]
}

// setWidth makes 2^width buckets, in the same array if that is large enough. All are empty.
func (c *core) setWidth(width int) {
	c.width = width
	if n := 1 << width; n <= cap(c.buckets) {
		c.buckets = c.buckets[:n]
	} else {
		c.buckets = make([]fifo.List, n)
	}
}

func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	slot = c.find(clock)
	switch {
	case c.size == 0:
		return slab.None, math.MaxInt64
	case slot == slab.None:
		return slab.None, clock + 1 // the clock is not at the last tick, or a timer was found
	}
	if at = c.nodes.Deadline(slot); at > clock {
		return slab.None, at
	}
	c.Remove(slot)
	return slot, at
}

func (c *core) Next(structures.Tick) structures.Tick { return c.nodes.Deadline(c.find(math.MaxInt64)) }

func (c *core) Work() structures.Work { return c.work }

func (c *core) Add(slot uint32, deadline structures.Tick) {
	if c.size >= 2*len(c.buckets) {
		c.resize(c.width + 1)
	}
	c.nodes.SetDeadline(slot, deadline)
	c.size++
	c.updateFirst(slot, deadline)
	c.countSteps(c.insert(slot, deadline))
}

// updateFirst updates first and today for a timer that is added.
func (c *core) updateFirst(slot uint32, deadline structures.Tick) {
	day := c.day(deadline)
	if c.first != slab.None {
		c.work.Comparisons++
		if deadline < c.nodes.Deadline(c.first) {
			c.first, c.today = slot, day
		}
	} else if c.size == 1 {
		c.first, c.today = slot, day
	} else {
		c.today = min(c.today, day)
	}
}

// insert puts a slot into its bucket, and returns how many steps that took, 0 for the end.
func (c *core) insert(slot uint32, deadline structures.Tick) (steps int) {
	l := c.bucket(c.day(deadline))
	before := l.Back()
	if before != slab.None {
		c.work.Comparisons++
		if deadline < c.nodes.Deadline(before) {
			before, steps = c.search(l, deadline)
		}
	}
	c.nodes.InsertAfter(l, before, slot)
	return steps
}

// search finds the place of a deadline before the last timer, from both ends in turn, so
// that it need not pass a crowd of one deadline at either.
func (c *core) search(l *fifo.List, deadline structures.Tick) (before uint32, steps int) {
	before = l.Back()
	for next := l.Front(); ; next = c.nodes.Next(next) {
		steps++
		if c.nodes.Deadline(next) > deadline {
			before = c.nodes.Prev(next)
			c.work.Comparisons--
			break
		}
		before = c.nodes.Prev(before) // exists, as some timer is not after deadline
		if c.nodes.Deadline(before) <= deadline {
			break
		}
	}
	c.work.Comparisons += 2 * uint64(steps)
	return before, steps
}

func (c *core) Remove(slot uint32) {
	c.nodes.Remove(c.bucket(c.day(c.nodes.Deadline(slot))), slot)
	c.size--
	if slot == c.first {
		c.first = c.nodes.Next(slot)
		if c.first != slab.None && c.day(c.nodes.Deadline(c.first)) != c.today {
			c.first = slab.None
		}
		c.excess.visits = max(0, c.excess.visits-visitsAllowed)
	}
	if c.width > minWidth && c.size < len(c.buckets)/2 {
		c.resize(c.width - 1)
	}
}

// find returns the earliest timer, maybe a later one, or none if none is due up to a tick. It
// goes from day to day for a year, and then it looks into all buckets.
func (c *core) find(until structures.Tick) uint32 {
	last := c.day(until)
	if c.first != slab.None || c.size == 0 || c.today > last {
		return c.first
	}
	end := min(last, c.today+uint64(len(c.buckets))-1)
	day, empty := c.today, 0
	for ; day <= end; day++ {
		head := c.bucket(day).Front()
		if head == slab.None {
			empty++
		} else if c.day(c.nodes.Deadline(head)) == day {
			c.first = head
			break
		}
	}
	visited := int(min(day, end)-c.today) + 1
	c.today = day
	if c.first == slab.None && end < last {
		empty += c.findFar()
		visited += len(c.buckets)
	}
	c.work.SlotsVisited += uint64(visited)
	c.work.EmptySlots += uint64(empty)
	c.countVisits(visited)
	return c.first
}

// findFar sets first to the earliest of those first in their buckets, and counts the empty ones.
func (c *core) findFar() (empty int) {
	for _, l := range c.buckets {
		switch head := l.Front(); {
		case head == slab.None:
			empty++
		case c.first == slab.None:
			c.first = head
		default:
			c.work.Comparisons++
			if c.nodes.Deadline(head) < c.nodes.Deadline(c.first) {
				c.first = head
			}
		}
	}
	c.today = c.day(c.nodes.Deadline(c.first))
	return empty
}

// A calendar is good if it takes few visits of days to find a timer and few steps to insert one. There are at most
// twice as many timers as buckets, and at least half as many. The length of a day is chosen in two ways:
//
//   - When the number of timers has doubled or halved, so does the number of buckets, and the
//     separation of timers is sampled again.
//   - In between, what timers cost beyond an allowance is added up. Too many visits make days
//     longer, too many steps make them shorter. So a bad sample does no lasting harm.
//
// To rebuild the calendar costs about as much as that sum, so that timers for which no length is
// good cost about twice as much and not more.
const (
	minWidth = 3  // of the year: 8 days
	maxShift = 62 // of the day: half of all ticks

	visitsAllowed = 8 // for each timer found; the next bucket is the next in memory
	stepsAllowed  = 2 // for each timer inserted
	samples       = 64
)

func widthFor(n int) int { return max(minWidth, bits.Len(uint(max(n, 1)-1)/2)) }

// excess is the cost of timers above the allowed cost since the length of a day was changed.
// Neither sum goes below 0, so that cheap timers do not pay for dear ones.
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

// countSteps adds the steps of an insertion, and makes days shorter if they were too many.
func (c *core) countSteps(steps int) {
	c.excess.inserted++
	c.excess.steps = max(0, c.excess.steps+steps-stepsAllowed)
	if c.excess.steps > c.size+len(c.buckets) {
		c.retune(-1)
	}
}

// retune makes days longer or shorter, as direction says: by a factor of two, and if soon after
// that is not enough of four, then 16 and so on.
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

// resize makes the year as long as the number of timers requires. If the sample says that more of
// them require longer days, it is wrong, unless it is the first.
func (c *core) resize(width int) {
	shift := c.sample()
	if c.width > minWidth && width > c.width {
		shift = min(shift, c.shift)
	}
	c.excess = excess{}
	c.rebuild(width, shift)
}

// sample returns the shift of days somewhat shorter than timers are apart. It takes the earliest quarter of the first
// timers of up to 64 buckets for that of all: those far away do not matter yet.
func (c *core) sample() (shift int) {
	var room [samples]structures.Tick
	sample := room[:0]
	stride := max(1, len(c.buckets)/samples)
	for i := 0; i < len(c.buckets); i += stride {
		for _, l := range c.buckets[i : i+stride] {
			if !l.Empty() {
				sample = append(sample, c.nodes.Deadline(l.Front()))
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

// rebuild inserts all timers again, into years of 2^width days of 2^shift ticks, or shorter ones.
func (c *core) rebuild(width, shift int) {
	today := c.today << c.shift // the tick at which it begins
	all := c.gather()
	c.setWidth(width)
	c.shift = shift
	for rest := c.scatter(all); !rest.Empty(); rest = c.scatter(all) {
		all = c.gather()
		c.nodes.Append(&all, &rest)
		c.shift = clamp(c.shift - 2)
	}
	c.today = today >> c.shift
	if c.first != slab.None {
		c.today = c.day(c.nodes.Deadline(c.first))
	}
}

// gather removes all timers from their buckets, equal deadlines in their order.
func (c *core) gather() (all fifo.List) {
	for i := range c.buckets {
		if !c.buckets[i].Empty() {
			c.nodes.Append(&all, &c.buckets[i])
		}
	}
	return all
}

// scatter inserts the timers of a list until it has taken too many steps, and returns those left.
// Days of one tick are never too crowded.
func (c *core) scatter(l fifo.List) (rest fifo.List) {
	left, moved := 2*(c.size+len(c.buckets)), uint64(0)
	for slot := l.Front(); slot != slab.None; moved++ {
		if left <= 0 && c.shift > 0 {
			rest = c.nodes.From(slot, l)
			break
		}
		next := c.nodes.Next(slot)
		left -= c.insert(slot, c.nodes.Deadline(slot))
		slot = next
	}
	c.work.Moved += moved
	return rest
}

// Walk adds the buckets that hold a timer. The span of a bucket is the day of its first timer.
func (c *core) Walk(b *snapshot.Builder) {
	rules.Must(len(c.buckets) == 1<<c.width && c.width >= minWidth && c.shift <= maxShift,
		"%d buckets, years of 2^%d days of 2^%d ticks", len(c.buckets), c.width, c.shift)
	width := structures.Tick(1) << c.shift
	b.Begin(shape.Part{Name: "year", Kind: shape.Slots, Size: len(c.buckets), Width: width, Now: -1})
	b.Loose = true
	year := len(b.Parts) - 1
	first := slab.None
	for i := range c.buckets {
		l := &c.buckets[i]
		if l == c.bucket(c.day(b.Clock)) {
			b.Parts[year].Now = i
		}
		if l.Empty() {
			continue
		}
		last := c.nodes.Deadline(l.Front())
		if first == slab.None || last < c.nodes.Deadline(first) {
			first = l.Front()
		}
		from := last &^ (width - 1)
		c.nodes.Walk(b, shape.Cell{Index: i, From: from, To: from + width - 1}, *l)
		for slot, deadline := range c.nodes.All(*l) {
			day := c.day(deadline)
			rules.Must(day >= c.today && c.bucket(day) == l && deadline >= last,
				"bucket %d: slot %d, due at %d after %d, is on day %d, today is %d", i, slot, deadline, last, day, c.today)
			last = deadline
		}
	}
	rules.Must(b.Count == c.size && c.size <= 2*len(c.buckets) && (c.width == minWidth || c.size >= len(c.buckets)/2),
		"%d timers in %d buckets, want %d", b.Count, len(c.buckets), c.size)
	rules.Must(c.first == slab.None || c.first == first && c.day(c.nodes.Deadline(first)) == c.today,
		"the first timer is slot %d, want %d, today is %d", c.first, first, c.today)
}
