package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
)

// decode decodes the next operation of the chunk and checks it.
func (r *Reader) decode() (op Op, err error) {
	if len(r.rest) == 0 {
		return op, errors.New("it is missing from the chunk")
	}
	op.Kind = Kind(r.rest[0])
	r.rest = r.rest[1:]
	if err := r.decodeOperands(&op); err != nil {
		return op, fmt.Errorf("%v: %w", op.Kind, err)
	}
	return op, nil
}

func (r *Reader) decodeOperands(op *Op) (err error) {
	switch op.Kind {
	case Schedule:
		if op.At, err = r.decodeTick(); err == nil {
			op.Key, err = r.schedule(op.At)
			r.last = op.Key
		}
	case Reschedule:
		if op.Key, err = r.decodeKey(); err == nil {
			op.At, err = r.decodeTick()
		}
		if err == nil {
			err = r.reschedule(op.Key, op.At)
		}
	case Cancel:
		if op.Key, err = r.decodeKey(); err == nil {
			err = r.cancel(op.Key)
		}
	case Advance:
		if op.At, err = r.decodeTick(); err == nil {
			err = r.decodeFired()
		}
		if err == nil {
			op.Fired = r.fired
			op.Late, err = r.advance(op.At, r.fired)
		}
	case RefusedReschedule, RefusedCancel:
		r.totals.Ops[op.Kind]++
	default:
		err = errors.New("there is no such kind")
	}
	return err
}

// decodeFired decodes the keys of an advance into fired.
func (r *Reader) decodeFired() error {
	n, err := r.decodeUvarint()
	if err != nil {
		return err
	}
	if pending := r.pending(); n > uint64(pending) {
		return fmt.Errorf("%d timers fire, of %d that are pending", n, pending)
	}
	r.fired = r.fired[:0]
	for range n {
		key, err := r.decodeKey()
		if err != nil {
			return err
		}
		r.fired = append(r.fired, key)
	}
	return nil
}

// decodeTick decodes a tick, which is stored as the difference to the clock.
func (r *Reader) decodeTick() (structures.Tick, error) {
	x, err := r.decodeUvarint()
	if err == nil && x > math.MaxInt64-uint64(r.totals.Last) {
		err = fmt.Errorf("%d ticks after tick %d are past the last tick, %d", x, r.totals.Last, int64(math.MaxInt64))
	}
	return r.totals.Last + structures.Tick(x), err
}

// decodeKey decodes a key, which is stored as the difference to the key before it.
func (r *Reader) decodeKey() (uint32, error) {
	x, err := r.decodeUvarint()
	key := int64(r.last) + (int64(x>>1) ^ -int64(x&1))
	if err == nil && (key < 0 || key >= int64(len(r.deadlines))) {
		err = fmt.Errorf("key %d, where %d are known", key, len(r.deadlines))
	}
	if err != nil {
		return 0, err
	}
	r.last = uint32(key)
	return r.last, nil
}

func (r *Reader) decodeUvarint() (uint64, error) {
	x, n := binary.Uvarint(r.rest)
	if n <= 0 {
		return 0, errNumber
	}
	r.rest = r.rest[n:]
	return x, nil
}
