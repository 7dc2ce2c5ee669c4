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

// height makes a height of a random number: more than h with probability 2^-h, up to
// maxHeight.
//
// With p = 1/4 a list takes less memory, and a hold (Pop, then Schedule) among 10^3
// timers took 0.85 times as long. But a search then passes three timers on each of half
// as many levels instead of one on each. Among 10^6 timers, where each of them is a cache
// miss, a hold took 1.5 times as long; among 10^5 as long.
func height(number uint64) int { return min(1+bits.TrailingZeros64(number), maxHeight) }
