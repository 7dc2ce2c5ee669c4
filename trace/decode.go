package trace

import (
	"errors"
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
)

// decode decodes the next operation of the chunk and checks it.
func (r *Reader) decode() (op Op, err error) {
	if len(r.ops.rest) == 0 {
		return op, errors.New("it is missing from the chunk")
	}
	op.Kind = Kind(r.ops.rest[0])
	r.ops.rest = r.ops.rest[1:]
	switch op.Kind {
	case Schedule:
		op.At = r.decodeTick()
		if r.header.Sites {
			op.Site = r.decodeSite()
		}
	case Reschedule:
		op.Key = r.decodeKey()
		op.At = r.decodeTick()
	case Cancel:
		op.Key = r.decodeKey()
	case Advance:
		op.At = r.decodeTick()
		op.Fired = r.decodeFired()
	}
	if err = r.ops.err; err == nil {
		err = r.apply(&op)
	}
	if err != nil {
		return op, fmt.Errorf("%v: %w", op.Kind, err)
	}
	if op.Kind == Schedule {
		r.last = op.Key
	}
	return op, nil
}

// decodeFired decodes the keys of an advance.
func (r *Reader) decodeFired() []uint32 {
	n := r.ops.number()
	if pending := r.pending(); n > uint64(pending) {
		r.ops.fail("%d timers fire, of %d that are pending", n, pending)
	}
	r.fired = r.fired[:0]
	for i := uint64(0); i < n && r.ops.err == nil; i++ {
		r.fired = append(r.fired, r.decodeKey())
	}
	return r.fired
}

// decodeSite decodes the index of a site. The text of a new one follows.
func (r *Reader) decodeSite() int {
	n := r.ops.limited("site", uint64(min(len(r.sites), maxSites)))
	if r.ops.err == nil && n == uint64(len(r.sites)) {
		name := r.ops.text("site")
		if len(name) > maxSite {
			r.ops.fail("a site of %d bytes, want at most %d", len(name), maxSite)
		}
		r.sites = append(r.sites, name)
	}
	return int(n)
}

// decodeTick decodes a tick, which is stored as the difference to the clock.
func (r *Reader) decodeTick() structures.Tick {
	x := r.ops.number()
	if x > math.MaxInt64-uint64(r.totals.Last) {
		r.ops.fail("%d ticks after tick %d are past the last tick, %d", x, r.totals.Last, int64(math.MaxInt64))
	}
	return r.totals.Last + structures.Tick(x)
}

// decodeKey decodes a key, which is stored as the difference to the key before it.
func (r *Reader) decodeKey() uint32 {
	key := int64(r.last) + signed(r.ops.number())
	if key < 0 || key >= int64(len(r.deadlines)) {
		r.ops.fail("key %d, where %d are known", key, len(r.deadlines))
		return 0
	}
	r.last = uint32(key)
	return r.last
}
