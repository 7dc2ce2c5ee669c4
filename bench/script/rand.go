package script

import (
	"math/bits"
	"math/rand/v2"
)

// Rand is the source of all random numbers. It uses PCG, whose definition fixes its output, and its own conversions.
// So the numbers depend neither on the machine nor on the release of Go.
type Rand struct{ src rand.PCG }

// NewRand returns the stream of random numbers of a seed and a stream number.
func NewRand(seed, stream uint64) *Rand {
	r := &Rand{}
	r.src.Seed(seed, stream)
	return r
}

// Uint64 returns 64 random bits.
func (r *Rand) Uint64() uint64 { return r.src.Uint64() }

// IntN returns a number from 0 to n-1; n must be positive. Its bias is below n/2^64.
func (r *Rand) IntN(n int) int {
	hi, _ := bits.Mul64(r.src.Uint64(), uint64(n))
	return int(hi)
}

// Float64 returns a multiple of 2^-53 in [0, 1).
func (r *Rand) Float64() float64 { return float64(r.src.Uint64()>>11) * 0x1p-53 }

// positive returns a multiple of 2^-53 in (0, 1], whose logarithm is finite.
func (r *Rand) positive() float64 { return float64(r.src.Uint64()>>11+1) * 0x1p-53 }

// Exp draws from the exponential distribution of mean 1.
func (r *Rand) Exp() float64 { return -Log(r.positive()) }

// Norm draws from the standard normal distribution, by Marsaglia's polar method, which needs no trigonometry.
func (r *Rand) Norm() float64 {
	for {
		u, v := float64(2*r.Float64())-1, float64(2*r.Float64())-1
		if s := float64(u*u) + float64(v*v); s > 0 && s < 1 {
			return float64(u * sqrt(float64(-2*Log(s))/s))
		}
	}
}
