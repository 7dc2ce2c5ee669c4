package script

// NamedDist is a family of distributions that differ in scale only.
type NamedDist struct {
	Name string
	Doc  string
	New  func(mean float64) Dist // the member with that mean
}

// Place is the place of a workload in the comparison grid.
type Place struct {
	Delays        string `json:"delays"`         // kind of the distribution of delays
	CancelPercent int    `json:"cancel_percent"` // share of the timers that are cancelled before they fire
}

// GridDists returns the families of the comparison grid. All of them are used with the same mean, so the same rate of
// arrivals leads to the same number of pending timers, and two of them differ only in shape.
func GridDists() []NamedDist {
	return []NamedDist{
		{"constant", "one timeout for all", Constant},
		{"uniform", "U(0, 2 mean)", func(mean float64) Dist { return Uniform(0, 2*mean) }},
		{"exponential", "memoryless", Exponential},
		{"clustered", "1 s, 5 s, 30 s or 60 s, each +-1 %", clustered},
		{"bimodal", "0.9 U(0, S) + 0.1 U(100 S, 101 S), S = 2/21 mean", bimodal},
		{"pareto", "heavy tail, alpha 1.5", func(mean float64) Dist { return pareto(float64(mean*0.5)/1.5, 1.5) }}, // finite mean, infinite variance
		{"lognormal", "sigma 1", func(mean float64) Dist { return logNormal(Log(mean)-0.5, 1) }},
	}
}

// AllDists returns the families of the grid and the increments of Jones 1986 that the grid lacks: most of triangular are
// long, and those of biased are nearly equal.
func AllDists() []NamedDist {
	return append(GridDists(),
		NamedDist{"triangular", "density rising from 0 to 1.5 mean", func(mean float64) Dist { return triangular(float64(3*mean) / 2) }},
		NamedDist{"biased", "U(0.9, 1.1) mean", func(mean float64) Dist { return Uniform(float64(0.9*mean), float64(1.1*mean)) }},
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
	part := func(seconds, weight float64) Part {
		v := float64(seconds*mean) / 30
		return Part{weight, Uniform(float64(v*(1-jitter)), float64(v*(1+jitter)))}
	}
	return Mixture(part(1, 0.20), part(5, 0.20), part(30, 0.24), part(60, 0.36))
}

// bimodal is the increment of Jones 1986, "An empirical comparison of
// priority-queue and event-set implementations": nine short ones to a long one.
func bimodal(mean float64) Dist {
	s := float64(mean*2) / 21
	return Mixture(Part{0.9, Uniform(0, s)}, Part{0.1, Uniform(float64(100*s), float64(101*s))})
}
