package script

// NamedDist is a family of distributions that differ in scale only.
type NamedDist struct {
	Name string
	Doc  string
	New  func(mean float64) Dist // the member with that mean
}

// GridDists returns the families of the comparison grid. All of them are used with the same mean, so the same rate of
// arrivals leads to the same number of pending timers, and two of them differ only in shape.
func GridDists() []NamedDist {
	return []NamedDist{
		{"constant", "one timeout for all", func(mean float64) Dist { return Constant(mean) }},
		{"uniform", "U(0, 2 mean)", func(mean float64) Dist { return Uniform{0, 2 * mean} }},
		{"exponential", "memoryless", func(mean float64) Dist { return Exponential(mean) }},
		{"clustered", "1 s, 5 s, 30 s or 60 s, each +-1 %", clustered},
		{"bimodal", "0.9 U(0, S) + 0.1 U(100 S, 101 S), S = 2/21 mean", bimodal},
		{"pareto", "heavy tail, alpha 1.5", pareto},
		{"lognormal", "sigma 1", logNormal},
	}
}

// AllDists returns the families of the grid and the increments of Jones 1986 that the grid lacks.
func AllDists() []NamedDist {
	return append(GridDists(),
		NamedDist{"triangular", "density rising from 0 to 1.5 mean", triangular},
		NamedDist{"biased", "U(0.9, 1.1) mean", biased},
	)
}

// FindDist returns the family of that name.
func FindDist(name string) (NamedDist, bool) {
	for _, n := range AllDists() {
		if n.Name == name {
			return n, true
		}
	}
	return NamedDist{}, false
}

// clustered models timeouts that people configure: a few round values, each with a jitter of 1 %. The jitter and the
// weights are chosen. With these weights the values in seconds have a mean of 30 s.
func clustered(mean float64) Dist {
	const jitter = 0.01
	var m Mixture
	for _, c := range []struct{ seconds, weight float64 }{
		{1, 0.20}, {5, 0.20}, {30, 0.24}, {60, 0.36},
	} {
		v := float64(c.seconds*mean) / 30
		m = append(m, Part{c.weight, Uniform{float64(v * (1 - jitter)), float64(v * (1 + jitter))}})
	}
	return m
}

// bimodal is the increment of Jones 1986, "An empirical comparison of
// priority-queue and event-set implementations": nine short ones to a long one.
func bimodal(mean float64) Dist {
	s := float64(mean*2) / 21
	return Mixture{{0.9, Uniform{0, s}}, {0.1, Uniform{float64(100 * s), float64(101 * s)}}}
}

// triangular and biased are also increments of Jones 1986. Most increments of
// triangular are long, and the increments of biased are nearly equal.
func triangular(mean float64) Dist { return Triangular(float64(3*mean) / 2) }

func biased(mean float64) Dist { return Uniform{float64(0.9 * mean), float64(1.1 * mean)} }

// pareto has a chosen alpha of 1.5: finite mean, infinite variance.
func pareto(mean float64) Dist {
	const alpha = 1.5
	return Pareto{Min: float64(mean*(alpha-1)) / alpha, Alpha: alpha}
}

func logNormal(mean float64) Dist {
	const sigma = 1
	return LogNormal{Mu: Log(mean) - sigma*sigma/2.0, Sigma: sigma}
}

// LogNormalQuantiles returns the log-normal distribution with the given median and upper quartile.
func LogNormalQuantiles(p50, p75 float64) LogNormal {
	const z75 = 0.6744897501960817 // the upper quartile of the standard normal
	return LogNormal{Mu: Log(p50), Sigma: (Log(p75) - Log(p50)) / z75}
}
