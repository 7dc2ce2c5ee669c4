package fifo

import (
	"fmt"
	"math/bits"
)

// Occupancy is a bitmap of the lists that hold a timer. A level above has a bit for each word that is not 0, and
// so on up to a single word. To find the next list reads one word of each level on the way up and on the way
// down. To change a bit mostly writes one word.
type Occupancy struct {
	levels [][]uint64 // levels[0] is the bits; the last one is a single word
}

// NewOccupancy returns the bitmap of n lists, n at least 1, all of them empty.
func NewOccupancy(n int) Occupancy {
	var o Occupancy
	for {
		n = (n + 63) / 64
		o.levels = append(o.levels, make([]uint64, n))
		if n == 1 {
			return o
		}
	}
}

// Set sets the bit of list i, which holds a timer.
func (o *Occupancy) Set(i int) {
	for _, words := range o.levels {
		before := words[i>>6]
		words[i>>6] = before | 1<<(i&63)
		if before != 0 {
			return // the levels above have the bit of this word
		}
		i >>= 6
	}
}

// Clear clears the bit of list i, which is empty.
func (o *Occupancy) Clear(i int) {
	for _, words := range o.levels {
		words[i>>6] &^= 1 << (i & 63)
		if words[i>>6] != 0 {
			return
		}
		i >>= 6
	}
}

// First returns the first list that holds a timer, or -1 when none does.
func (o *Occupancy) First() int {
	top := len(o.levels) - 1
	if o.levels[top][0] == 0 {
		return -1
	}
	return o.descend(top, bits.TrailingZeros64(o.levels[top][0]))
}

// Next returns the first list from i on that holds a timer, or -1.
func (o *Occupancy) Next(i int) int {
	for level, words := range o.levels {
		if i>>6 >= len(words) {
			return -1
		}
		if rest := words[i>>6] >> (i & 63); rest != 0 {
			return o.descend(level, i+bits.TrailingZeros64(rest))
		}
		i = i>>6 + 1
	}
	return -1
}

// descend returns the first list below bit i of a level, which is set.
func (o *Occupancy) descend(level, i int) int {
	for level > 0 {
		level--
		i = i<<6 + bits.TrailingZeros64(o.levels[level][i])
	}
	return i
}

// Has reports whether the bit of list i is set.
func (o *Occupancy) Has(i int) bool { return o.levels[0][i>>6]>>(i&63)&1 == 1 }

// Check names the first bit that is wrong. It costs O(lists/64).
func (o *Occupancy) Check() error {
	for level := 1; level < len(o.levels); level++ {
		for i, word := range o.levels[level-1] {
			if set := o.levels[level][i>>6]>>(i&63)&1 == 1; set != (word != 0) {
				return fmt.Errorf("fifo: level %d bit %d is %t above word %#x", level, i, set, word)
			}
		}
	}
	return nil
}
