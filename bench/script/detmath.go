package script

// This file has deterministic versions of the transcendental functions that the workloads need: every machine
// returns the same bits. The standard library uses assembly and fused multiply-adds on some processors, and its
// results may differ in the last bit. One bit can move a timer to another tick and so change a checksum. In this
// file an explicit conversion rounds every product. The language specification forbids to fuse a converted
// product.
//
// The relative error is about 1e-14. Speed does not matter, because nothing here runs while a structure is timed.

import "math"

// Log returns the natural logarithm of x > 0.
func Log(x float64) float64 {
	frac, exp := math.Frexp(x)
	if frac < math.Sqrt2/2 {
		frac *= 2
		exp--
	}
	// ln m = 2 atanh s with s = (m-1)/(m+1), |s| < 0.1716.
	s := (frac - 1) / (frac + 1)
	s2 := float64(s * s)
	sum := 0.0
	for k := 27; k >= 1; k -= 2 {
		sum = float64(sum*s2) + 1/float64(k)
	}
	return float64(2*float64(s*sum)) + float64(float64(exp)*math.Ln2)
}

// Exp returns e**x.
func Exp(x float64) float64 {
	// ln 2 in two parts: n times the first is exact for every n that matters.
	const ln2Hi, ln2Lo = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	n := math.Floor(float64(x/math.Ln2) + 0.5)
	r := (x - float64(n*ln2Hi)) - float64(n*ln2Lo)
	sum := 1.0
	for k := 18; k >= 1; k-- {
		sum = 1 + float64(r*sum)/float64(k)
	}
	return math.Ldexp(sum, int(n))
}

// Pow returns x**y for x > 0.
func Pow(x, y float64) float64 { return Exp(float64(y * Log(x))) }
