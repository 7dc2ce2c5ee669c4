package script

// A distribution draws the delays of timers. Values are real numbers of ticks; workloads round them. As in
// detmath.go, explicit conversions round all products, so that no machine fuses them into a sum.

import "math"

func sqrt(x float64) float64 { return math.Sqrt(x) } // IEEE 754: exact everywhere

// Dist is a distribution of delays, in ticks.
//
// DrawBiased draws length-biased: with a probability in proportion to the value. The delays of the timers that are
// pending at a random moment have this distribution, because a timer with twice the delay is pending twice as long (the
// inspection paradox). A workload that fills a structure this way starts in its steady state.
type Dist struct {
	Mean             float64
	Draw, DrawBiased func(r *Rand) float64
}

// Residual draws the remaining delay of a timer that is pending at a random moment.
func Residual(d Dist, r *Rand) float64 { return float64(r.Float64() * d.DrawBiased(r)) }

// Constant is one value: the timeout of a single request type.
func Constant(value float64) Dist {
	draw := func(*Rand) float64 { return value }
	return Dist{value, draw, draw}
}

// Uniform is uniform between two values. DrawBiased inverts the distribution function (x^2 - low^2) / (high^2 - low^2).
func Uniform(low, high float64) Dist {
	low2, high2 := float64(low*low), float64(high*high)
	return Dist{
		(low + high) / 2,
		func(r *Rand) float64 { return low + float64(r.Float64()*(high-low)) },
		func(r *Rand) float64 { return sqrt(low2 + float64(r.Float64()*(high2-low2))) },
	}
}

// triangular lies between 0 and an end. Its density is proportional to the delay, so the distribution function is
// (x / end)^2, and (x / end)^3 for DrawBiased.
func triangular(end float64) Dist {
	return Dist{
		float64(2*end) / 3,
		func(r *Rand) float64 { return float64(end * sqrt(r.Float64())) },
		func(r *Rand) float64 { return float64(end * Pow(r.positive(), 1.0/3)) },
	}
}

// Exponential is the exponential distribution. DrawBiased draws from the gamma distribution of shape 2, a sum of two.
func Exponential(mean float64) Dist {
	return Dist{
		mean,
		func(r *Rand) float64 { return float64(mean * r.Exp()) },
		func(r *Rand) float64 { return float64(mean * (r.Exp() + r.Exp())) },
	}
}

// logNormal is e to the power of a normal variable. DrawBiased draws from the one whose mu is larger by sigma^2.
func logNormal(mu, sigma float64) Dist {
	sigma2 := float64(sigma * sigma)
	return Dist{
		Exp(mu + sigma2/2),
		func(r *Rand) float64 { return Exp(mu + float64(sigma*r.Norm())) },
		func(r *Rand) float64 { return Exp(mu + sigma2 + float64(sigma*r.Norm())) },
	}
}

// LogNormalQuantiles returns the log-normal distribution with the given median and upper quartile.
func LogNormalQuantiles(p50, p75 float64) Dist {
	const z75 = 0.6744897501960817 // the upper quartile of the standard normal
	return logNormal(Log(p50), (Log(p75)-Log(p50))/z75)
}

// pareto has the density alpha least^alpha / x^(alpha+1) from least on; alpha must be above 1 for the mean to exist.
// DrawBiased draws from the one whose alpha is smaller by 1.
func pareto(least, alpha float64) Dist {
	return Dist{
		float64(least*alpha) / (alpha - 1),
		func(r *Rand) float64 { return float64(least * Pow(r.positive(), -1/alpha)) },
		func(r *Rand) float64 { return float64(least * Pow(r.positive(), -1/(alpha-1))) },
	}
}

// Part is one distribution of a mixture. Weights need not sum to 1.
type Part struct {
	Weight float64
	Dist   Dist
}

// Mixture draws from one of several distributions, each with its weight. DrawBiased picks it by its share of the mean.
func Mixture(parts ...Part) Dist {
	var weights, biased Weights
	for _, p := range parts {
		weights, biased = append(weights, p.Weight), append(biased, float64(p.Weight*p.Dist.Mean))
	}
	return Dist{
		biased.sum() / weights.sum(),
		func(r *Rand) float64 { return parts[weights.Pick(r)].Dist.Draw(r) },
		func(r *Rand) float64 { return parts[biased.Pick(r)].Dist.DrawBiased(r) },
	}
}

// Weights are the weights of several choices.
type Weights []float64

func (w Weights) sum() (sum float64) {
	for _, weight := range w {
		sum += weight
	}
	return sum
}

// Pick draws the index of a choice, in proportion to the weights.
func (w Weights) Pick(r *Rand) int {
	at, last := float64(r.Float64()*w.sum()), len(w)-1
	for i, weight := range w[:last] {
		if at -= weight; at < 0 {
			return i
		}
	}
	return last
}

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

// AllDists returns the families of the grid and the increments of Jones 1986 that the grid lacks. Most increments of
// triangular are long, and increments of biased are nearly equal.
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
