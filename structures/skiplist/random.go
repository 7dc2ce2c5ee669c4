package skiplist

import "math/bits"

// random is the state of Steele, Lea and Flood's SplitMix64 generator, small and
// good from any seed.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	x := uint64(*r)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// height draws the height of a tower.
func (r *random) height() int { return height(r.next()) }

// height makes a height of a random number: more than h with probability 4^-h,
// up to maxHeight.
func height(number uint64) int {
	return min(1+bits.TrailingZeros64(number)/2, maxHeight)
}
