package stats

import "math"

// Units that follow one another may have noise in common that goes on from one to the next. The
// mean of n of them is less precise than that of n independent ones then, and their variance is
// too small an estimate.

// mostSerial limits the autocorrelation (chosen): nothing can be said of a run within which
// noise does not change.
const mostSerial = 0.9

// serialOf returns the lag-1 autocorrelation of units of which the ratio of von Neumann (1941)
// is what it is over all estimates: the mean square of the differences of successive units
// divided by their variance. It is less by its standard error with so many independent
// estimates, and 0 at least, so that units count as independent unless it shows that they are
// not.
func serialOf(all []estimate, independent float64) float64 {
	var steps, weights, estimates float64
	lengths := make(map[int]float64)
	for _, e := range all {
		if e.df() >= 2 && e.variance > 0 { // the order of two says nothing
			steps += e.steps / e.variance
			weights += e.df()
			lengths[len(e.units)] += e.df()
			estimates++
		}
	}
	if weights == 0 {
		return 0
	}
	error := 1 / math.Sqrt(weights*min(1, independent/estimates))
	lo, hi := 0.0, mostSerial
	for range 40 {
		rho, expected := (lo+hi)/2, 0.0
		for n, weight := range lengths {
			expected += weight / weights * 2 * (1 - rho) / shrinks(n, rho)
		}
		if expected > steps/weights+2*error {
			lo = rho
		} else {
			hi = rho
		}
	}
	return lo
}

// effective returns how many independent units are worth as much as n with a lag-1
// autocorrelation, of a first-order autoregression. It holds for their sample variance, which is
// too small, as well.
func effective(n int, rho float64) float64 {
	if n < 2 {
		return float64(n)
	}
	return float64(n) * shrinks(n, rho) / inflation(n, rho)
}

// inflation is the variance of the mean of n units as a multiple of that of independent ones.
func inflation(n int, rho float64) float64 {
	sum, power := 1.0, 1.0
	for lag := 1; lag < n; lag++ {
		power *= rho
		sum += 2 * (1 - float64(lag)/float64(n)) * power
	}
	return sum
}

// shrinks is the expected sample variance of n units as a share of their variance.
func shrinks(n int, rho float64) float64 { return 1 - (inflation(n, rho)-1)/float64(n-1) }
