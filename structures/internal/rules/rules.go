// Package rules has the rules of the contract that all structures keep in the same words: past deadlines and bad options.
package rules

import (
	"fmt"
	"math"

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
