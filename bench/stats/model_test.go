package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/timerbench/timerbench/bench/stats"
)

// model describes simulated cells. Noise is a standard deviation of the logarithm of the cost.
type model struct {
	effects   []float64  // log cost of each contender beside the best
	instances [2]float64 // between instances: each contender has its own, in this range
	rounds    float64    // within instances
	spikes    float64    // probability of a round in which something else disturbed a contender
	common    float64    // of a round, in all contenders alike
	layouts   int        // number of layouts
	noisy     float64    // what the variation between instances of the first contender is multiplied by; 0: 1
	ofLayouts float64    // between layouts
}

// noisy is the noise of the suite on a shared machine with two cores.
func noisy(effects ...float64) model {
	return model{effects: effects, instances: [2]float64{0.03, 0.05}, rounds: 0.03, spikes: 0.02, common: 0.1, layouts: 1}
}

// simulated is one cell of a model.
type simulated struct {
	model
	rng       *rand.Rand
	instance  []float64   // standard deviation of each contender
	ofLayout  [][]float64 // shift of each contender in each layout
	samples   [][]stats.Sample
	instances int
	round     int
}

func (m model) cell(seed uint64) *simulated {
	s := &simulated{model: m, rng: rand.New(rand.NewPCG(seed, 13)), samples: make([][]stats.Sample, len(m.effects))}
	for range m.effects {
		s.instance = append(s.instance, m.instances[0]+(m.instances[1]-m.instances[0])*s.rng.Float64())
		if len(s.instance) == 1 && m.noisy > 0 {
			s.instance[0] *= m.noisy
		}
		shifts := make([]float64, m.layouts)
		for i := range shifts {
			shifts[i] = m.ofLayouts * s.rng.NormFloat64()
		}
		s.ofLayout = append(s.ofLayout, shifts)
	}
	return s
}

// passes adds fresh instances of the contenders that take part, with two rounds each.
func (s *simulated) passes(n int, takesPart func(i int) bool) {
	for range n {
		layout := s.instances % s.layouts
		level := make([]float64, len(s.effects))
		for i, e := range s.effects {
			level[i] = e + s.ofLayout[i][layout] + s.instance[i]*s.rng.NormFloat64()
		}
		for range 2 {
			common := s.common * s.rng.NormFloat64()
			for i := range s.effects {
				v := common + level[i] + s.noise()
				if takesPart(i) {
					s.samples[i] = append(s.samples[i], stats.Sample{Layout: layout, Instance: s.instances, Round: s.round, Value: 100 * math.Exp(v)})
				}
			}
			s.round++
		}
		s.instances++
	}
}

// noise is of one round: Student's t with 4 degrees of freedom, and now and then a spike.
func (s *simulated) noise() float64 {
	var chi float64
	for range 4 {
		z := s.rng.NormFloat64()
		chi += z * z
	}
	n := s.rounds * s.rng.NormFloat64() / math.Sqrt(chi/2) // variance 1 times rounds
	if s.rng.Float64() < s.spikes {
		n += 0.3 * s.rng.ExpFloat64()
	}
	return n
}

func everybody(int) bool { return true }

// race adds passes until nobody continues. It returns the ratios to the best.
func (s *simulated) race(most int) []stats.Ratio {
	o := stats.Options{Looks: stats.RaceLooks}
	goesOn := everybody
	for s.instances < most {
		s.passes(max(1, stats.FirstLook-s.instances), goesOn)
		decisions := stats.Race(s.samples, o)
		if !slices.Contains(decisions, stats.Continue) {
			break
		}
		goesOn = func(i int) bool { return decisions[i] == stats.Continue }
	}
	return stats.Best(s.samples, o)
}

// scaled returns the model with its noise multiplied.
func (m model) scaled(by float64) model {
	m.instances[0] *= by
	m.instances[1] *= by
	m.rounds *= by
	m.ofLayouts *= by
	return m
}
