// Package option applies and checks the options of constructors. Every structure refuses a bad option in the same words.
package option

import "fmt"

// Apply returns the configuration c after all options.
func Apply[C any, O ~func(*C)](c C, opts []O) C {
	for _, set := range opts {
		set(&c)
	}
	return c
}

// Room has the option of most structures: the number of timers to reserve room for.
type Room struct{ Capacity int }

// Capacity returns the option that reserves room for n timers, from 0 to most.
func Capacity(pkg string, n, most int) func(*Room) {
	return func(r *Room) { r.Capacity = Between(pkg, "Capacity", n, 0, most) }
}

// Between returns got. It panics unless lo <= got <= hi, with a message that names the option.
func Between(pkg, name string, got, lo, hi int) int {
	if got < lo || got > hi {
		panic(fmt.Sprintf("%s: %s(%d): want a number from %d to %d", pkg, name, got, lo, hi))
	}
	return got
}
