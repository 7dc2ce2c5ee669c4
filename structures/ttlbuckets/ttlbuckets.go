// Package ttlbuckets keeps timers in buckets by their delay, as the cache Segcache keeps its entries: coarse, and
// fastest where timers have few different delays and mostly fire.
//
// A bucket is a queue of segments, and a segment is an array of timers that were scheduled within a short time. They
// have about the same delay, so they expire together, and the segments of a bucket expire in their order. So
// nothing is sorted and nothing cascades. Only the first segments of the buckets are compared, in a heap.
//
// Pedigree. [Segcache] (Yang, Yue and Vinayak, NSDI 2021), whose segments hold the entries of the cache themselves.
// Differences here:
//
//   - A timer is never early. Segcache rounds the TTL of an entry down.
//   - Segcache has four ranges of 256 buckets, for TTLs from a second to 97 days. Here a bucket of the first range
//     is a tick wide, so short delays are exact, and nine ranges reach up to 2^39 ticks.
//   - Segcache looks at the first segment of each bucket every second. Here Next names when the first one expires.
//   - The number of segments is at most an eighth of the largest number of timers, and 256. If there is none left, or
//     the delay is longer, a 4-ary heap takes the timer and fires it exactly at its tick.
//
// Lateness. At most MaxLate(delay): none for delays of up to 256 ticks from the clock, and less than an eighth of longer ones.
//
// A timer takes 13 bytes if segments are full, plus its value and ID, and up to 46 more if they are nearly empty. Without timers,
// the buckets take 20 KiB.
//
// Work counts SlotsVisited, segments that expired; and Comparisons in the heaps.
//
// Pick it for the TTLs of a cache, if entries may expire late. Pick auto if timers must be exact, or if many are cancelled among
// a million: the place of a cancelled timer stays empty until its segment expires.
//
// [Segcache]: https://github.com/twitter/pelikan/blob/05dc7c894324ba7201b8934fceac4b0302f7566f/src/storage/seg/src/ttl_buckets/ttl_buckets.rs
package ttlbuckets

import (
	"math"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*Buckets[int])(nil)

// Option sets a parameter of Buckets.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, in segments and in the heap. n is from 0, the default, to 2^32-4.
func Capacity(n int) Option { return Option{rules.Capacity("ttlbuckets", n, dary.MaxLen)} }

// Buckets holds timers with values of type T by their delays. Make it with New. It is a [structures.Scheduler].
type Buckets[T any] struct{ base[T] }
type base[T any] = slotted.Scheduler[T, core, *core]

// New returns empty buckets at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Buckets[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	segments := min(n, mostSegments(n))
	b := &Buckets[T]{slotted.New[T](core{
		buckets:  make([]bucket, ranges*perRange),
		heads:    dary.NewQuad(segments),
		segments: make([]segment, 1, segments+1),
		places:   make([]uint32, 1, n+1),
		heap:     dary.NewQuad(n),
	}, n)}
	table, c := slotted.Parts(&b.base)
	c.clock, c.ahead = slotted.Clock(&b.base), table.Addresses
	return b
}

// Schedule adds a timer that is due at deadline. It costs O(1), or O(log n) if no segment is left.
func (b *Buckets[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return b.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs as much as Cancel and Schedule.
func (b *Buckets[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return b.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(1), or O(log n) in the heap.
func (b *Buckets[T]) Cancel(id structures.ID) bool { return b.base.Cancel(id) }

// Pop moves the clock to now and removes a timer of the earliest segment that has expired. Ties are unspecified. It costs O(1), plus
// O(log n) for a segment or a timer of the heap.
func (b *Buckets[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	return b.base.Pop(now)
}

// Next returns the tick at which the first segment expires, or the first deadline in the heap. It costs O(1).
func (b *Buckets[T]) Next() (at structures.Tick, ok bool) { return b.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (b *Buckets[T]) Len() int { return b.base.Len() }

// The ranges of delays: 256 buckets each.
//
//	range   width of a bucket   for delays up to   late by at most
//	    0                   1                256         0 ticks
//	    1                   8              2,048        14
//	    2                 128             32,768       254
//	    3               2,048            524,288     4,094
//	    …            2^(4r-1)           2^(4r+7)    2^4r-2
//	    8                2^31               2^39    2^32-2: 17 years at ticks of a millisecond
const (
	ranges   = 9
	perRange = 256
)

// rangeOf returns the range of a delay, and the logarithm of the width of its buckets. It returns the number of ranges
// if there is none.
func rangeOf(delay structures.Tick) (r int, shift uint) {
	for r < ranges && delay > perRange<<shift {
		r++
		shift = uint(4*r - 1)
	}
	return r, shift
}

// MaxLate returns the most ticks by which a timer with a delay fires late.
func MaxLate(delay structures.Tick) structures.Tick {
	r, shift := rangeOf(delay)
	if r == ranges {
		return 0
	}
	return 2 * (1<<shift - 1)
}

// core is the queue of timers, each named by its slot in the slab. At all times
//
//   - the segments of a bucket expire in their order, and the first of each bucket is in heads;
//   - a segment holds at least one timer, or it is free;
//   - a segment takes timers for as many ticks as its bucket is wide. It expires at the latest deadline that it could
//     take, so at or after the deadlines of all its timers;
//   - a timer is in a segment or in the heap, as its place says.
type core struct {
	clock    *structures.Tick
	buckets  []bucket
	segments []segment // by number, from 1
	heads    dary.Quad // the first segment of each bucket with timers
	free     uint32    // the first free segment
	places   []uint32  // by timer: the place in a segment, or inHeap
	heap     dary.Quad
	firing   uint32 // the segment that fires; 0: none
	at       uint8  // no timer of it is before this place
	visited  uint64
	ahead    func(timer uint32) (generation, value unsafe.Pointer) // addresses in the slab
	lines    prefetch.Batch
}

// bucket is a queue of segments.
type bucket struct{ head, tail uint32 }

// segment is timers that expire together.
type segment struct {
	timers     [size]uint32 // 0: a place that was not taken yet, or whose timer is gone
	before     [size]uint32 // ticks from the deadline to the time when the segment expires
	expires    structures.Tick
	next, prev uint32 // in the bucket; next of a free one: the next free one
	bucket     uint16
	taken      uint8 // places
	live       uint8 // timers
}

const (
	size   = 32 // timers of a segment
	line   = 64 // bytes of a cache line
	inHeap = math.MaxUint32
	never  = structures.Tick(math.MaxInt64)
)

// mostSegments returns the largest number of segments for a number of timers.
func mostSegments(timers int) int { return min(timers/8+256, inHeap/size-1) }

// Add puts a timer into the last segment of its bucket, into a new one, or into the heap.
func (c *core) Add(timer uint32, deadline structures.Tick) {
	if int(timer) == len(c.places) {
		c.places = append(c.places, 0)
	}
	t := c.segmentFor(deadline)
	if t == 0 {
		c.places[timer] = inHeap
		c.heap.Add(timer, deadline)
		return
	}
	s := &c.segments[t]
	i := s.taken % size
	s.taken++
	s.live++
	s.timers[i] = timer
	s.before[i] = uint32(s.expires - deadline)
	c.places[timer] = t*size + uint32(i)
}

// segmentFor returns a segment with room for a deadline, or 0.
func (c *core) segmentFor(deadline structures.Tick) uint32 {
	now := *c.clock
	r, shift := rangeOf(deadline - now)
	width := structures.Tick(1) << shift
	if r == ranges || deadline > never-2*width {
		return 0
	}
	number := (deadline - now - 1) >> shift
	i := r*perRange + int(number)
	last := now + (number+1)<<shift // the latest deadline in the bucket
	t := c.buckets[i].tail
	if t == 0 || c.segments[t].expires < last {
		return c.newSegment(i, last+width-1)
	}
	if c.segments[t].taken == size {
		return c.newSegment(i, c.segments[t].expires)
	}
	return t
}

// newSegment appends a segment to a bucket. It returns 0 if there are as many as there may be.
func (c *core) newSegment(i int, expires structures.Tick) uint32 {
	t, b := c.free, &c.buckets[i]
	switch {
	case t != 0:
		c.free = c.segments[t].next
	case len(c.segments) > mostSegments(len(c.places)-1):
		return 0
	default:
		t = uint32(len(c.segments))
		c.segments = append(c.segments, segment{})
	}
	s := &c.segments[t]
	s.expires, s.next, s.prev, s.bucket, s.taken = expires, 0, b.tail, uint16(i), 0
	if b.tail == 0 {
		b.head = t
		c.heads.Add(t, expires)
	} else {
		c.segments[b.tail].next = t
	}
	b.tail = t
	return t
}

// Remove takes a timer out. Its place stays empty.
func (c *core) Remove(timer uint32) {
	if place := c.places[timer]; place == inHeap {
		c.heap.Remove(timer)
	} else {
		c.clear(place/size, place%size)
	}
}

// clear empties a place of a segment, and frees the segment if it was the last one.
func (c *core) clear(t, i uint32) {
	s := &c.segments[t]
	s.timers[i%size] = 0
	if s.live--; s.live > 0 {
		return
	}
	b := &c.buckets[s.bucket]
	if s.next == 0 {
		b.tail = s.prev
	} else {
		c.segments[s.next].prev = s.prev
	}
	switch {
	case s.prev != 0:
		c.segments[s.prev].next = s.next
	case s.next == 0:
		b.head = 0
		c.heads.Remove(t)
	default:
		b.head = s.next
		c.heads.Replace(t, s.next, c.segments[s.next].expires)
	}
	s.next, c.free = c.free, t
	if t == c.firing {
		c.firing = 0
	}
}

// Pop removes a timer that is due, of the heap or of the segment that has expired first.
func (c *core) Pop(clock structures.Tick) (timer uint32, at structures.Tick) {
	t, expires := c.heads.First()
	if _, deadline := c.heap.First(); deadline <= min(clock, expires) {
		return c.heap.Pop(deadline) // nothing, if the heap is empty and the clock at the last tick
	} else if expires > clock {
		return 0, min(expires, deadline)
	}
	s := &c.segments[t]
	if t != c.firing {
		c.begin(t)
	}
	for s.timers[c.at%size] == 0 {
		c.at++
	}
	i := uint32(c.at % size)
	timer, at = s.timers[i], expires-structures.Tick(s.before[i])
	c.clear(t, i)
	return timer, at
}

// begin begins with a segment that has expired. It prefetches the timers, and the next segment.
func (c *core) begin(t uint32) {
	s := &c.segments[t]
	c.firing, c.at = t, 0
	c.visited++
	for _, timer := range s.timers {
		if timer != 0 {
			generation, value := c.ahead(timer)
			c.lines.Add(generation)
			c.lines.Add(value)
		}
	}
	c.lines.Issue()
	for at := uintptr(0); at < unsafe.Sizeof(*s); at += line {
		c.lines.Add(unsafe.Add(unsafe.Pointer(&c.segments[s.next]), at))
	}
	c.lines.Issue()
}

// Next returns the tick at which the first segment expires, or the earliest deadline in the heap.
func (c *core) Next(structures.Tick) structures.Tick {
	_, expires := c.heads.First()
	_, deadline := c.heap.First()
	return min(expires, deadline)
}

func (c *core) Work() structures.Work {
	w := c.heads.Work()
	w.Comparisons += c.heap.Work().Comparisons
	w.SlotsVisited = c.visited
	return w
}

// Walk adds the segments, with a cell for each, and the heap.
func (c *core) Walk(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "segments, bucket by bucket", Kind: shape.List})
	used, first := 0, 0
	for t, expires := range c.heads.All() {
		s := &c.segments[t]
		rules.Must(s.expires == expires && c.buckets[s.bucket].head == t, "segment %d of bucket %d expires at %d, in the heap at %d",
			t, s.bucket, s.expires, expires)
	}
	for i, bk := range c.buckets {
		if bk.head != 0 {
			first++
		}
		prev, last := uint32(0), structures.Tick(0)
		for t := bk.head; t != 0; t = c.segments[t].next {
			s := &c.segments[t]
			used++
			rules.Must(used < len(c.segments) && s.prev == prev && int(s.bucket) == i && s.expires >= last,
				"segment %d of bucket %d, after %d, says bucket %d, after %d, and expires at %d after %d",
				t, i, prev, s.bucket, s.prev, s.expires, last)
			c.walkSegment(b, t)
			prev, last = t, s.expires
		}
		rules.Must(prev == bk.tail, "bucket %d ends with segment %d, says %d", i, prev, bk.tail)
	}
	for t := c.free; t != 0 && used < len(c.segments); t = c.segments[t].next {
		used++
	}
	rules.Must(used == len(c.segments)-1 && first == c.heads.Len(),
		"%d segments in buckets or free, want %d; %d are first, %d in the heap",
		used, len(c.segments)-1, first, c.heads.Len())
	b.DropEmpty()
	for timer := range c.heap.All() {
		rules.Must(c.places[timer] == inHeap, "timer %d is in the heap, its place says %d", timer, c.places[timer])
	}
	c.heap.Walk(b)
	b.DropEmpty()
}

// walkSegment adds a segment.
func (c *core) walkSegment(b *snapshot.Builder, t uint32) {
	s, live := &c.segments[t], uint8(0)
	late := MaxLate(perRange << max(0, 4*(int(s.bucket)/perRange)-1))
	b.Cell(shape.Cell{}, func(yield func(uint32, structures.Tick) bool) {
		for i, timer := range s.timers {
			if timer == 0 {
				continue
			}
			live++
			rules.Must(c.places[timer] == t*size+uint32(i) && structures.Tick(s.before[i]) <= late && i < int(s.taken),
				"timer %d is at %d of segment %d, %d ticks early", timer, i, t, s.before[i])
			if !yield(timer, s.expires-structures.Tick(s.before[i])) {
				return
			}
		}
	})
	rules.Must(live == s.live && live > 0, "segment %d has %d timers, says %d", t, live, s.live)
}
