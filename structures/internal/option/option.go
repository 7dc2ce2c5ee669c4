// Package option checks what callers give to constructors, so that every
// structure refuses a bad option in the same words.
package option

import "fmt"

// Between panics unless lo <= got <= hi. The message names the package, the
// option, the value and what was expected.
func Between(pkg, name string, got, lo, hi int) {
	if got < lo || got > hi {
		panic(fmt.Sprintf("%s: %s(%d): want a number from %d to %d", pkg, name, got, lo, hi))
	}
}

// PowerOfTwo panics unless got is a power of two from lo to hi.
func PowerOfTwo(pkg, name string, got, lo, hi int) {
	if got < lo || got > hi || got&(got-1) != 0 {
		panic(fmt.Sprintf("%s: %s(%d): want a power of two from %d to %d", pkg, name, got, lo, hi))
	}
}
