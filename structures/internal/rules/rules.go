// Package rules has what all structures do in the same way: past deadlines, bad options, and checks of invariants.
package rules

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/timerbench/timerbench/structures"
)

// Clamp returns deadline if it is after now, the tick of the clock, and otherwise the tick after now, or the last of all.
func Clamp(now, deadline structures.Tick) structures.Tick {
	if deadline <= now {
		return now + min(1, math.MaxInt64-now)
	}
	return deadline
}

// Option sets a parameter of a configuration C. The Option of a structure embeds it under an unexported name: callers can only
// pass it on, and Apply calls the method that it inherits.
type Option[C any] func(*C)

func (o Option[C]) set(c *C) {
	if o != nil { // the zero Option of a structure
		o(c)
	}
}

// Apply returns the configuration c after all options.
func Apply[C any, O interface{ set(*C) }](c C, opts []O) C {
	for _, o := range opts {
		o.set(&c)
	}
	return c
}

// Room has the option of most structures: the number of timers to reserve room for. Some may have their records on huge pages.
type Room struct {
	Capacity  int
	HugePages bool
}

// Capacity returns the option that reserves room for n timers, from 0 to most.
func Capacity(pkg string, n, most int) Option[Room] {
	return func(r *Room) { r.Capacity = Between(pkg, "Capacity", n, 0, most) }
}

// Between returns got. It panics unless lo <= got <= hi, with a message that names the option.
func Between(pkg, name string, got, lo, hi int) int {
	if got < lo || got > hi {
		panic(fmt.Sprintf("%s: %s(%d): want a number from %d to %d", pkg, name, got, lo, hi))
	}
	return got
}

// Must ends a check of invariants, which FirstBroken runs, unless ok is true. The values are integers and strings.
func Must(ok bool, format string, values ...any) {
	if !ok {
		fail(format, values)
	}
}

// fail copies the values. So they stay on the stack of the caller, and a check that finds nothing allocates nothing.
func fail(format string, values []any) {
	copies := make([]any, len(values))
	for i := range values {
		switch v := reflect.ValueOf(values[i]); {
		case v.CanInt():
			copies[i] = v.Int()
		case v.CanUint():
			copies[i] = v.Uint()
		default:
			copies[i] = strings.Clone(v.String())
		}
	}
	panic(fmt.Errorf(format, copies...))
}

// FirstBroken runs a check of a structure, or of a part of one with a name, and returns the first invariant that is broken: that of
// Must, or an index that is out of range.
func FirstBroken(of any, check func()) (err error) {
	defer func() {
		switch found := recover().(type) {
		case nil:
		case error:
			name, ok := of.(string)
			if !ok {
				name = strings.TrimLeft(fmt.Sprintf("%T", of), "*")
			}
			err = fmt.Errorf("%s: %w", name, found)
		default:
			panic(found)
		}
	}()
	check()
	return nil
}
