package stats

// Noise may persist from one unit to the next. Then the mean of n units is less precise than the
// mean of n independent units, and the sample variance is too small.

// mostSerial limits the autocorrelation, because the variance is not known if noise never changes
// (chosen).
const mostSerial = 0.9

// serialOf returns the lag-1 autocorrelation, 0 or more, that explains the ratio of von Neumann (1941)
// over all estimates: the mean square of the differences of successive units divided by their variance.
func serialOf(all []estimate) float64 {
	var steps, weights float64
	lengths := make(map[int]float64)
	for _, e := range all {
		if e.df() >= 2 && e.variance > 0 { // the order of two says nothing
			steps += e.steps / e.variance
			weights += e.df()
			lengths[len(e.units)] += e.df()
		}
	}
	if weights == 0 {
		return 0
	}
	lo, hi := 0.0, mostSerial
	for range 40 {
		rho, expected := (lo+hi)/2, 0.0
		for n, weight := range lengths {
			expected += weight * 2 * (1 - rho) / shrinks(n, rho)
		}
		if expected > steps {
			lo = rho
		} else {
			hi = rho
		}
	}
	return lo
}

// effective returns the number of independent units whose mean is as precise as the mean of n
// units of a first-order autoregression. It also corrects for their sample variance, which is too
// small.
func effective(n int, rho float64) float64 {
	if n < 2 {
		return float64(n)
	}
	return float64(n) * shrinks(n, rho) / inflation(n, rho)
}

// inflation returns the variance of the mean of n units relative to independent units.
func inflation(n int, rho float64) float64 {
	sum, power := 1.0, 1.0
	for lag := 1; lag < n; lag++ {
		power *= rho
		sum += 2 * (1 - float64(lag)/float64(n)) * power
	}
	return sum
}

// shrinks returns the expected sample variance of n units relative to their variance.
func shrinks(n int, rho float64) float64 { return 1 - (inflation(n, rho)-1)/float64(n-1) }
