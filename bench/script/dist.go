package script

// A distribution draws the delays of timers. Values are real numbers of ticks; workloads round them. As in
// detmath.go, explicit conversions round all products, so that no machine fuses them into a sum.
//
// Every distribution can also draw length-biased: with a probability in proportion to the value. The delays of the
// timers that are pending at a random moment have this distribution, because a timer with twice the delay is pending
// twice as long (the inspection paradox). A workload that fills a structure this way starts in its steady state.

import (
	"math"
)

func sqrt(x float64) float64 { return math.Sqrt(x) } // IEEE 754: exact everywhere

// Dist is a distribution of delays, in ticks.
type Dist interface {
	Draw(r *Rand) float64
	DrawBiased(r *Rand) float64 // with a probability in proportion to the value
	Mean() float64
}

// Residual draws the remaining delay of a timer that is pending at a random moment.
func Residual(d Dist, r *Rand) float64 { return float64(r.Float64() * d.DrawBiased(r)) }

// Constant is one value: the timeout of a single request type.
type Constant float64

// Draw returns the value.
func (c Constant) Draw(*Rand) float64 { return float64(c) }

// DrawBiased returns the value.
func (c Constant) DrawBiased(*Rand) float64 { return float64(c) }

// Mean returns the value.
func (c Constant) Mean() float64 { return float64(c) }

// Uniform is uniform between Low and High.
type Uniform struct{ Low, High float64 }

// Draw draws a delay.
func (u Uniform) Draw(r *Rand) float64 { return u.Low + float64(r.Float64()*(u.High-u.Low)) }

// DrawBiased inverts the distribution function (x^2 - Low^2) / (High^2 - Low^2).
func (u Uniform) DrawBiased(r *Rand) float64 {
	low2, high2 := float64(u.Low*u.Low), float64(u.High*u.High)
	return sqrt(low2 + float64(r.Float64()*(high2-low2)))
}

// Mean returns the mean.
func (u Uniform) Mean() float64 { return (u.Low + u.High) / 2 }

// Triangular lies between 0 and its value, the upper end. Its density is proportional to the delay.
type Triangular float64

// Draw inverts the distribution function (x / end)^2.
func (t Triangular) Draw(r *Rand) float64 { return float64(float64(t) * sqrt(r.Float64())) }

// DrawBiased inverts the distribution function (x / end)^3.
func (t Triangular) DrawBiased(r *Rand) float64 {
	return float64(float64(t) * Pow(r.positive(), 1.0/3))
}

// Mean returns the mean.
func (t Triangular) Mean() float64 { return float64(2*float64(t)) / 3 }

// Exponential is the exponential distribution. Its value is the mean.
type Exponential float64

// Draw draws a delay.
func (e Exponential) Draw(r *Rand) float64 { return float64(float64(e) * r.Exp()) }

// DrawBiased draws from the gamma distribution of shape 2, a sum of two.
func (e Exponential) DrawBiased(r *Rand) float64 { return float64(float64(e) * (r.Exp() + r.Exp())) }

// Mean returns the mean.
func (e Exponential) Mean() float64 { return float64(e) }

// LogNormal is e to the power of a normal variable of mean Mu and deviation Sigma.
type LogNormal struct{ Mu, Sigma float64 }

// Draw draws a delay.
func (l LogNormal) Draw(r *Rand) float64 { return Exp(l.Mu + float64(l.Sigma*r.Norm())) }

// DrawBiased draws from the log-normal distribution whose Mu is larger by Sigma^2.
func (l LogNormal) DrawBiased(r *Rand) float64 {
	return Exp(l.Mu + float64(l.Sigma*l.Sigma) + float64(l.Sigma*r.Norm()))
}

// Mean returns the mean.
func (l LogNormal) Mean() float64 { return Exp(l.Mu + float64(l.Sigma*l.Sigma)/2) }

// Pareto has the density Alpha Min^Alpha / x^(Alpha+1) from Min on; Alpha must be above 1 for the mean to exist.
type Pareto struct{ Min, Alpha float64 }

// Draw draws a delay.
func (p Pareto) Draw(r *Rand) float64 { return float64(p.Min * Pow(r.positive(), -1/p.Alpha)) }

// DrawBiased draws from the Pareto distribution whose Alpha is smaller by 1.
func (p Pareto) DrawBiased(r *Rand) float64 {
	return float64(p.Min * Pow(r.positive(), -1/(p.Alpha-1)))
}

// Mean returns the mean.
func (p Pareto) Mean() float64 { return float64(p.Min*p.Alpha) / (p.Alpha - 1) }

// Mixture draws from one of several distributions, each with its weight.
type Mixture []Part

// Part is one distribution of a mixture. Weights need not sum to 1.
type Part struct {
	Weight float64
	Dist   Dist
}

// Draw draws a delay.
func (m Mixture) Draw(r *Rand) float64 {
	return m.pick(r, func(p Part) float64 { return p.Weight }).Draw(r)
}

// DrawBiased picks a part by its share of the mean, then draws from it.
func (m Mixture) DrawBiased(r *Rand) float64 {
	return m.pick(r, func(p Part) float64 { return float64(p.Weight * p.Dist.Mean()) }).DrawBiased(r)
}

func (m Mixture) pick(r *Rand, weight func(Part) float64) Dist {
	total := 0.0
	for _, p := range m {
		total += weight(p)
	}
	at := float64(r.Float64() * total)
	for _, p := range m[:len(m)-1] {
		if at -= weight(p); at < 0 {
			return p.Dist
		}
	}
	return m[len(m)-1].Dist
}

// Mean returns the mean.
func (m Mixture) Mean() float64 {
	sum, total := 0.0, 0.0
	for _, p := range m {
		sum += float64(p.Weight * p.Dist.Mean())
		total += p.Weight
	}
	return sum / total
}
