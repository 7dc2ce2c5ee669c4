package auto

import (
	"math"
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// pools hold the timers while they are few. A timer that lies far ahead is in a pool, in
// no order, so that to schedule, cancel and move it costs no more than to write its record.
// The next ones are in the front, which is sorted. Seen from now on, time is divided by
// bounds, which ascend:
//
//	            front  |  pool 1  |  pool 2  |  pool 3
//	deadlines      bounds[0]  bounds[1]  bounds[2]
//
// A deadline that equals a bound may be on either side.
//
// When the front is empty it gets the earliest timers of the first pool that is not. A pool
// of many first hands its earliest on to the pool before it. How early, a sample says. So
// each timer that fires costs one pass through a few entries for each pool on its way.
//
// A pool is a list of indexes. It says who may be there, the record says who is: where holds
// the home of the timer, and for each pool whether it lists the record. A record is listed
// at most once in a pool. One that is listed and not at home, or not in use, is stale. The
// record that is used again for another timer of the same pool finds its old listing and
// needs no other.
//
// An entry of the front is stale, too, unless its record has the same generation and
// deadline.
type pools[T any] struct {
	front  []entry                 // the latest first
	lists  [poolCount + 1][]uint32 // the first one is room for takeAll and handBack
	bounds [poolCount]structures.Tick
	chosen []uint32 // room for those that go to the front
	turn   uint32   // number of samples taken
	work   structures.Work
}

// entry is a timer of the front.
type entry struct {
	deadline          structures.Tick
	index, generation uint32
}

const (
	poolCount = 3 // the first is number 1
	lastPool  = poolCount
	frontLen  = 64  // most entries of the front
	wholeLen  = 8   // a pool of so few goes to the front as a whole
	directLen = 96  // a pool of more hands some to the pool before it first
	sampleLen = 12  // at most; the second of a sample is the limit
	mostFirst = 512 // the first pool hands its later timers back if it has more
	staleLen  = 64  // stale ones that a list may hold beside as many as there are timers
)

// In the record, where holds the home of a timer above the place: the number of a pool, or
// 0 for the front, and above that a bit for each pool that lists the record.
const (
	homeShift = placeBits
	homeMask  = 7 << homeShift
	inLast    = lastPool << homeShift
	listBits  = homeShift + 3
)

func listedIn(pool uint32) where { return 1 << (listBits + pool) }

// homeIn returns the home of a timer that is in a pool.
func homeIn(pool uint32) where { return where(pool) << homeShift }

// settled reports whether a timer with a deadline needs no more than its record, as its home is the last pool.
func (p *pools[T]) settled(at where, deadline structures.Tick) bool {
	return at&homeMask == inLast && deadline >= p.bounds[poolCount-1]
}

// place puts a timer, new or moved, where its deadline belongs. Its record has the
// deadline. There are count timers.
func (p *pools[T]) place(rs *records[T], index uint32, count int) {
	r := rs.At(index)
	if r.deadline < p.bounds[0] {
		if len(p.front) == frontLen {
			p.shorten(rs, count)
		}
		if r.deadline < p.bounds[0] {
			r.where = r.where&^homeMask | nowhere
			p.insert(entry{r.deadline, index, r.generation})
			return
		}
	}
	pool := uint32(1)
	for pool < lastPool && r.deadline >= p.bounds[pool] {
		pool++
	}
	p.list(rs, index, pool, count)
}

// list makes a pool the home of a timer.
func (p *pools[T]) list(rs *records[T], index, pool uint32, count int) {
	r := rs.At(index)
	listed := r.where&listedIn(pool) != 0
	r.where = r.where&^homeMask | homeIn(pool) | listedIn(pool) | nowhere
	if listed {
		return
	}
	l := p.lists[pool]
	if len(l) == cap(l) && len(l) > 2*count+staleLen {
		p.sweep(rs, pool)
	}
	p.lists[pool] = append(p.lists[pool], index)
}

// insert adds an entry to the front, which has room for it.
func (p *pools[T]) insert(e entry) {
	f := append(p.front, e)
	i := len(f) - 1
	for ; i > 0 && f[i-1].deadline < e.deadline; i-- {
		f[i] = f[i-1]
	}
	f[i] = e
	p.front = f
	p.work.Comparisons += uint64(len(f) - i)
}

// shorten drops the stale entries of the front. If more than half are left, the later ones
// of them go to the first pool.
func (p *pools[T]) shorten(rs *records[T], count int) {
	f := p.front[:0]
	for _, e := range p.front {
		if p.stands(rs, e) {
			f = append(f, e)
		}
	}
	p.work.Dropped += uint64(len(p.front) - len(f))
	if len(f) > frontLen/2 {
		later := len(f) / 2
		p.bounds[0] = f[later-1].deadline
		for _, e := range f[:later] {
			p.list(rs, e.index, 1, count)
		}
		p.work.Moved += uint64(later)
		f = f[:copy(f, f[later:])]
	}
	p.front = f
}

// stands reports whether an entry of the front is not stale.
func (p *pools[T]) stands(rs *records[T], e entry) bool {
	r := rs.At(e.index)
	return r.generation == e.generation && r.deadline == e.deadline
}

// first returns the last entry of the front, which is the earliest timer, or ok = false if
// no timer is due up to a tick. There are count timers.
func (p *pools[T]) first(rs *records[T], until structures.Tick, count int) (e entry, ok bool) {
	for {
		for n := len(p.front); n > 0; n-- {
			e = p.front[n-1]
			if e.deadline > until {
				return e, false
			}
			if p.stands(rs, e) {
				return e, true
			}
			p.front = p.front[:n-1]
			p.work.Dropped++
		}
		if count == 0 || p.bounds[0] > until {
			return e, false
		}
		p.refill(rs, count)
	}
}

// quiet returns a tick before which nothing is due.
func (p *pools[T]) quiet(count int) structures.Tick {
	switch n := len(p.front); {
	case n > 0:
		return p.front[n-1].deadline
	case count > 0:
		return p.bounds[0]
	}
	return math.MaxInt64
}

// refill makes a step towards timers in the front, which is empty: it may take
// several. There are count timers, at least one.
func (p *pools[T]) refill(rs *records[T], count int) {
	pool := uint32(1)
	for len(p.lists[pool]) == 0 {
		pool++
	}
	if len(p.lists[pool]) > 2*count+staleLen {
		p.sweep(rs, pool)
	}
	for pool > 1 && len(p.lists[pool]) > directLen {
		p.handOn(rs, pool)
		pool--
	}
	if pool == 1 && len(p.lists[1]) > mostFirst {
		p.handBack(rs, count)
	}
	if len(p.lists[pool]) <= wholeLen {
		p.takeWhole(rs, pool)
	} else {
		p.takeEarliest(rs, pool)
	}
}

// limit returns a deadline that about an eighth of the timers of a pool reach, and at
// least one: the second one of a sample. If most of the sample is stale, all timers reach
// it, and the list is swept.
func (p *pools[T]) limit(rs *records[T], pool uint32) structures.Tick {
	l := p.lists[pool]
	step := uint32(len(l) / min(len(l)/4, sampleLen))
	p.turn++
	first, second := structures.Tick(math.MaxInt64), structures.Tick(math.MaxInt64)
	standing := 0
	for i := p.turn * step / sampleLen % step; int(i) < len(l); i += step {
		if r := rs.At(l[i]); r.isIn(pool) {
			second = min(second, max(first, r.deadline))
			first = min(first, r.deadline)
			standing++
		}
	}
	if standing >= 2 {
		return second
	}
	p.sweep(rs, pool)
	if pool < lastPool {
		return p.bounds[pool]
	}
	return math.MaxInt64
}

// isIn reports whether a record that a pool lists has a timer there.
func (r *record[T]) isIn(pool uint32) bool {
	return r.where&homeMask == homeIn(pool) && r.generation&1 == 1
}

// handOn moves the earliest timers of a pool to the one before it, whose list is empty.
func (p *pools[T]) handOn(rs *records[T], pool uint32) {
	limit := p.limit(rs, pool)
	l := p.lists[pool]
	early := p.lists[pool-1]
	if cap(early) < len(l) {
		early = make([]uint32, cap(l))
	}
	early = early[:len(l)]
	later, n := 0, 0
	for _, index := range l { // without a branch, as no predictor guesses it
		is := toInt(rs.At(index).deadline > limit)
		l[later] = index
		later += is
		early[n] = index
		n += 1 - is
	}
	p.work.Comparisons += uint64(len(l))
	p.lists[pool] = l[:later]
	moved := early[:0]
	for _, index := range early[:n] {
		if p.leave(rs.At(index), pool) {
			rs.At(index).where |= homeIn(pool-1) | listedIn(pool-1)
			moved = append(moved, index)
		}
	}
	p.work.Moved += uint64(len(moved))
	p.lists[pool-1] = moved
	p.bounds[pool-1] = limit
}

// handBack moves the later timers of the first pool to the second one: many that were
// moved to earlier went through the front to the first pool.
func (p *pools[T]) handBack(rs *records[T], count int) {
	limit := p.limit(rs, 1)
	l := p.lists[1]
	early := p.lists[0][:0]
	for _, index := range l {
		r := rs.At(index)
		if r.deadline <= limit || !r.isIn(1) {
			early = append(early, index)
			continue
		}
		r.where &^= listedIn(1)
		p.list(rs, index, 2, count)
		p.work.Moved++
	}
	p.work.Comparisons += uint64(len(l))
	p.lists[0] = early
	p.lists[1] = append(l[:0], early...)
	p.bounds[1] = limit
}

// leave removes the listing of a record in a pool. It returns false if it was stale;
// otherwise the timer has the front as its home now.
func (p *pools[T]) leave(r *record[T], pool uint32) bool {
	stands := r.isIn(pool)
	r.where &^= listedIn(pool)
	if r.where&homeMask == homeIn(pool) {
		r.where &^= homeMask
	}
	if !stands {
		p.work.Dropped++
	}
	return stands
}

// takeWhole moves all timers of a pool to the front.
func (p *pools[T]) takeWhole(rs *records[T], pool uint32) {
	p.chosen = append(p.chosen[:0], p.lists[pool]...)
	p.lists[pool] = p.lists[pool][:0]
	p.sort(rs, pool)
	if len(p.front) > 0 {
		p.raise(pool, p.front[0].deadline)
	}
}

// raise sets the bound of the front, and those of all pools before a pool, which are empty.
func (p *pools[T]) raise(pool uint32, bound structures.Tick) {
	for i := range p.bounds[:pool] {
		p.bounds[i] = bound
	}
}

// takeEarliest moves the earliest timers of a pool to the front.
func (p *pools[T]) takeEarliest(rs *records[T], pool uint32) {
	limit := p.limit(rs, pool)
	bound := limit
	if cap(p.chosen) < frontLen {
		p.chosen = make([]uint32, 0, frontLen)
	}
	l, chosen := p.lists[pool], p.chosen[:frontLen]
	later, n := 0, 0
	for i, index := range l {
		if n == frontLen && limit == p.bounds[pool-1] {
			// Nothing in the pool is earlier. What is later goes back, as those that are not
			// read yet may be due before it.
			n = 0
			for _, c := range chosen {
				is := toInt(rs.At(c).deadline > limit)
				l[later] = c
				later += is
				chosen[n] = c
				n += 1 - is
			}
			if n == frontLen { // all are due at the same tick
				bound = limit
				later += copy(l[later:], l[i:])
				break
			}
		}
		if n == frontLen {
			// The later half of those chosen goes back. There is room, as they were read.
			p.chosen = chosen
			p.sort(rs, pool)
			half := len(p.front) / 2
			for i, e := range p.front {
				rs.At(e.index).where |= homeIn(pool) | listedIn(pool)
				if i < half {
					bound = e.deadline
					limit = bound - 1
					l[later] = e.index
					later++
				} else {
					chosen[i-half] = e.index
				}
			}
			n = len(p.front) - half
		}
		is := toInt(rs.At(index).deadline > limit)
		l[later] = index
		later += is
		chosen[n&(frontLen-1)] = index
		n += 1 - is
	}
	p.work.Comparisons += uint64(len(l))
	p.lists[pool] = l[:later]
	p.chosen = chosen[:n]
	p.sort(rs, pool)
	p.raise(pool, bound)
}

// sort makes the front of the chosen timers, which are of a pool. It counts for each one
// how many are later, without a branch.
func (p *pools[T]) sort(rs *records[T], pool uint32) {
	var deadlines [frontLen]structures.Tick
	n := 0
	for _, index := range p.chosen {
		if r := rs.At(index); p.leave(r, pool) {
			p.chosen[n] = index
			deadlines[n&(frontLen-1)] = r.deadline
			n++
		}
	}
	f, ds := slices.Grow(p.front[:0], n)[:n], deadlines[:n]
	for i, d := range ds {
		at := 0
		for _, other := range ds[:i] {
			at += toInt(other >= d)
		}
		for _, other := range ds[i:] {
			at += toInt(other > d)
		}
		index := p.chosen[i]
		f[at] = entry{d, index, rs.At(index).generation}
	}
	p.work.Moved += uint64(n)
	p.work.Comparisons += uint64(n * n)
	p.front = f
}

// sweep drops the stale records of a list.
func (p *pools[T]) sweep(rs *records[T], pool uint32) {
	l := p.lists[pool]
	n := 0
	for _, index := range l {
		if r := rs.At(index); p.leave(r, pool) {
			r.where |= homeIn(pool) | listedIn(pool)
			l[n] = index
			n++
		}
	}
	p.lists[pool] = l[:n]
}

// takeAll removes all timers and returns their indexes. They are nowhere then. The result
// is valid until the next call of a method.
func (p *pools[T]) takeAll(rs *records[T]) []uint32 {
	all := p.lists[0][:0]
	for pool := uint32(1); pool <= lastPool; pool++ {
		p.sweep(rs, pool)
		all = append(all, p.lists[pool]...)
		p.lists[pool] = p.lists[pool][:0]
	}
	for _, e := range p.front {
		if r := rs.At(e.index); p.stands(rs, e) && r.where&homeMask == 0 {
			r.where = inLast // not in front, if there is another entry for it
			all = append(all, e.index)
		}
	}
	for _, index := range all {
		rs.At(index).where = nowhere
	}
	p.lists[0] = all
	p.front = p.front[:0]
	p.bounds = [poolCount]structures.Tick{}
	return all
}

// reserve makes room for n timers.
func (p *pools[T]) reserve(n int) {
	for i := range p.lists {
		p.lists[i] = make([]uint32, 0, n)
	}
	p.front = make([]entry, 0, frontLen)
	p.chosen = make([]uint32, 0, frontLen)
}

// toInt is 1 for true. The compiler makes no branch of it.
func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
