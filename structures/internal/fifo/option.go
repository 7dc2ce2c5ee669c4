package fifo

import "fmt"

// PowerOfTwo returns got, the value of an option. It panics unless got is a power of two from lo to hi, with a message that names the
// package and the option.
func PowerOfTwo(pkg, name string, got, lo, hi int) int {
	if got < lo || got > hi || got&(got-1) != 0 {
		panic(fmt.Sprintf("%s: %s(%d): want a power of two from %d to %d", pkg, name, got, lo, hi))
	}
	return got
}
