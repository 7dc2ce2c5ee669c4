package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/longtest"
)

// most returns the largest number of wrong answers among n that is plausible if their
// probability is p: the mean and 2.3 standard deviations.
func most(n int, p float64) int { return int(float64(n)*p + 2.3*math.Sqrt(float64(n)*p*(1-p))) }

// weather is what disturbs the rounds of simulated cells. All noise is of the logarithm of the
// cost.
type weather struct {
	name      string
	instances [2]float64 // standard deviation between instances: each contender has its own, in this range
	rounds    float64    // standard deviation of rounds
	wanders   float64    // of a noise of each contender that persists from round to round
	together  float64    // of such a noise that all have in common
	tails     bool       // one round in ten takes 1.5 times as long
	spikes    bool       // one round in 50 takes up to twice as long
	bursts    bool       // now and then other work slows all down for some rounds, each by its own share
}

var (
	tails    = weather{name: "heavy tails", instances: [2]float64{0.02, 0.02}, rounds: 0.02, tails: true}
	weathers = []weather{
		{name: "quiet", instances: [2]float64{0.03, 0.03}, rounds: 0.02},
		{name: "wandering alone", wanders: 0.05},
		{name: "wandering together", together: 0.05, rounds: 0.02},
		tails,
		{name: "bursts", instances: [2]float64{0.02, 0.02}, rounds: 0.02, bursts: true},
		{name: "unequal variances", instances: [2]float64{0.005, 0.1}, rounds: 0.02},
	}
)

// persists is the correlation of wandering noise from round to round.
const persists = 0.8

// sky makes the noise of a run, round by round.
type sky struct {
	weather
	rng    *rand.Rand
	own    []float64 // of each contender
	common float64
	burst  []float64 // by how much the last burst slows each contender
	left   int       // rounds of the burst
}

func (w weather) over(contenders int, rng *rand.Rand) *sky {
	s := &sky{weather: w, rng: rng, own: make([]float64, contenders), burst: make([]float64, contenders)}
	s.common = w.together * rng.NormFloat64()
	for i := range s.own {
		s.own[i] = w.wanders * rng.NormFloat64()
	}
	return s
}

// next begins a round.
func (s *sky) next() {
	e := math.Sqrt(1 - persists*persists)
	s.common = persists*s.common + s.together*e*s.rng.NormFloat64()
	for i := range s.own {
		s.own[i] = persists*s.own[i] + s.wanders*e*s.rng.NormFloat64()
	}
	if s.left--; s.left < 0 && s.rng.IntN(25) == 0 {
		s.left = s.rng.IntN(6)
		for i := range s.burst {
			s.burst[i] = math.Log1p(0.5 * s.rng.Float64())
		}
	}
}

// of is the noise of a contender in this round.
func (s *sky) of(i int) float64 {
	v := s.common + s.own[i] + s.rounds*s.rng.NormFloat64()
	if s.tails && s.rng.IntN(10) == 0 {
		v += math.Log(1.5)
	}
	if s.spikes && s.rng.IntN(50) == 0 {
		v += math.Ln2 * s.rng.Float64()
	}
	if s.bursts && s.left >= 0 {
		v += s.burst[i]
	}
	return v
}

// cellsOfRun is the number of cells of a simulated run. They are of one size, so that they learn
// from one another.
const cellsOfRun = 8

// plan is what is measured of a cell. The cells have a pass each, and then the next one, as the
// agenda of a run lets them.
type plan struct{ instances, rounds int }

var plans = []plan{{3, 2}, {2, 3}, {12, 2}}

// run simulates cells of contenders with these logarithms of their costs, beside 100. The last
// one of each is a second instance of the first one.
func (w weather) run(p plan, seed uint64, logs ...float64) [cellsOfRun][][]stats.Sample {
	rng := rand.New(rand.NewPCG(seed, 1984))
	logs = append(logs, logs[0])
	s := w.over(len(logs), rng)
	deviation, level := make([]float64, len(logs)), make([]float64, len(logs))
	for i := range deviation {
		if lo, hi := w.instances[0], w.instances[1]; lo > 0 {
			deviation[i] = lo * math.Pow(hi/lo, rng.Float64())
		}
	}
	deviation[len(logs)-1] = deviation[0]
	var out [cellsOfRun][][]stats.Sample
	for i := range out {
		out[i] = make([][]stats.Sample, len(logs))
	}
	for at := range p.instances * cellsOfRun {
		instance, cell := at/cellsOfRun, out[at%cellsOfRun]
		for i, log := range logs {
			level[i] = log + deviation[i]*rng.NormFloat64()
		}
		for round := range p.rounds {
			s.next()
			for i := range cell {
				cell[i] = append(cell[i], stats.Sample{
					Instance: instance, Round: p.rounds*instance + round, Value: 100 * math.Exp(level[i]+s.of(i)),
				})
			}
		}
	}
	return out
}

// truth is the cost that very many rounds give.
func (w weather) truth() float64 {
	if !w.tails && !w.bursts {
		return 100
	}
	s := w.over(1, rand.New(rand.NewPCG(1, 2)))
	var a []stats.Sample
	for round := range 20_000 {
		s.next()
		a = append(a, stats.Sample{Round: round, Value: 100 * math.Exp(s.of(0)+w.instances[0]*s.rng.NormFloat64())})
	}
	i, _ := stats.Center(a, stats.Options{})
	return i.Center
}

// analysed is a simulated run as reports analyse it: the cells learn from their controls.
func analysed(run [cellsOfRun][][]stats.Sample) (cells []*stats.Cell, centers stats.Prior) {
	var controls []stats.Pair
	for _, c := range run {
		controls = append(controls, stats.Pair{A: c[len(c)-1], B: c[0]})
	}
	prior := stats.PoolPairs(controls)
	for _, c := range run {
		cells = append(cells, stats.NewCell(c[:len(c)-1], stats.Options{Prior: prior}))
	}
	return cells, stats.PoolCenters(run[:]...)
}

// share counts how often something is so.
type share struct{ so, all int }

func (s *share) add(so bool) {
	if s.all++; so {
		s.so++
	}
}

func (s *share) percent() float64 { return 100 * float64(s.so) / float64(s.all) }

// misses are the errors of a line of the table: of the set of the best, of ratios and of costs.
type misses [3]share

// of counts the errors in runs of equal contenders.
func (m *misses) of(w weather, p plan, contenders, runs int) {
	all := make([]int, contenders)
	for i := range all {
		all[i] = i
	}
	truth := w.truth()
	for seed := range uint64(runs) {
		run := w.run(p, seed, make([]float64, contenders)...)
		cells, centers := analysed(run)
		for at, c := range cells {
			worse := false
			for _, r := range c.RatiosTo(c.Best(all), all) {
				worse = worse || r.Standing() == stats.Worse
			}
			m[0].add(worse)
			for i := 1; i < contenders && i < 8; i += 2 {
				r, _ := stats.Paired(run[at][i], run[at][i-1], stats.Options{Prior: c.Prior()})
				m[1].add(r.Differs())
				cost, _ := stats.Center(run[at][i], stats.Options{Prior: centers})
				m[2].add(cost.Lo > truth || cost.Hi < truth)
			}
		}
	}
}

// contenders are the numbers of them that the table has.
var contenders = []int{2, 8, 26}

// runsOf is the number of runs that the table has for each number of contenders.
var runsOf = []int{250, 100, 50}

const tableHead = `//	                           set of the best     ratio           cost
//	noise                         2    8   26     2    8   26     2    8   26
`

// simulatedTable simulates the lines of the table.
func simulatedTable() string {
	var b strings.Builder
	b.WriteString(tableHead)
	for _, w := range weathers {
		for _, p := range plans {
			var of [3]misses
			for i, k := range contenders {
				of[i].of(w, p, k, runsOf[i])
			}
			fmt.Fprintf(&b, "//\t%-20s %5s", w.name, fmt.Sprintf("%dx%d", p.instances, p.rounds))
			for what := range of[0] {
				for i := range of {
					fmt.Fprintf(&b, " %4.1f", of[i][what].percent())
				}
				b.WriteString(strings.Repeat(" ", 1-what/2))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// The table of the documentation is what the simulation gives, and what is measured in turns
// errs in at most 7 %.
func TestTheTableOfTheDocumentation(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(doc), tableHead)
	if len(parts) != 2 {
		t.Fatalf("doc.go has %d tables, want 1", len(parts)-1)
	}
	end := strings.Index(parts[1], "//\n")
	lines, rest := parts[1][:end], parts[1][end:]
	for line := range strings.Lines(lines) {
		for _, figure := range strings.Fields(line)[1:] {
			var percent float64
			if _, err := fmt.Sscanf(figure, "%g", &percent); err == nil && !strings.Contains(figure, "x") && percent > 7 {
				t.Errorf("%s has %g %%, want at most 7", strings.TrimSpace(line), percent)
			}
		}
	}
	if want := len(weathers) * len(plans); strings.Count(lines, "\n") != want {
		t.Errorf("the table has %d lines, want %d", strings.Count(lines, "\n"), want)
	}
	if longtest.Scale(t, 0, 0, 1) == 0 {
		return
	}
	want := parts[0] + simulatedTable() + rest
	switch {
	case *stats.Update:
		if err := os.WriteFile("doc.go", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	case want != string(doc):
		t.Errorf("the simulation gives another table than doc.go has (write it anew with -update):\n%s", want)
	}
}

// The lines of the table hold: few runs of each do not err more often than in 7 % of the cases,
// as far as so few can tell.
func TestNoNoiseMakesMoreErrorsThanTheTableSays(t *testing.T) {
	t.Parallel()
	for _, w := range weathers {
		for _, p := range plans {
			t.Run(fmt.Sprintf("%s, %dx%d", w.name, p.instances, p.rounds), func(t *testing.T) {
				t.Parallel()
				for i, runs := range []int{longtest.Scale(t, 8, 12, 100), longtest.Scale(t, 1, 2, 50), longtest.Scale(t, 0, 0, 10)} {
					var m misses
					m.of(w, p, contenders[i], runs)
					for what, name := range []string{"the set of the best", "ratios", "costs"} {
						// The cells of a run take turns, so that they have their noise in common.
						if m[what].so/cellsOfRun > most(max(1, m[what].all/cellsOfRun), 0.07) {
							t.Errorf("%d contenders: %s err in %d of %d, want at most 7 %%", contenders[i], name, m[what].so, m[what].all)
						}
					}
				}
			})
		}
	}
}

// With heavy tails and six rounds, intervals hold the true ratio in 95 of 100 cases, and what
// takes 1.3 times as long is called worse in as many.
func TestSixRoundsWithHeavyTailsTellWhatTakesLonger(t *testing.T) {
	t.Parallel()
	for _, k := range []int{2, 8, 26} {
		runs := longtest.Scale(t, 10, 12, 250)
		logs, all := make([]float64, k), make([]int, k)
		for i := range all {
			if all[i] = i; i > 0 {
				logs[i] = math.Log(2)
			}
		}
		logs[1] = math.Log(1.3)
		if k == 26 {
			runs = (runs + 3) / 4
		}
		var held, called share
		for seed := range uint64(runs) {
			cells, _ := analysed(tails.run(plans[0], seed, logs...))
			for _, c := range cells {
				for i, r := range c.RatiosTo(0, all) {
					if i == 1 {
						held.add(r.Lo <= 1.3 && r.Hi >= 1.3)
						called.add(r.Standing() == stats.Worse)
					}
				}
			}
		}
		t.Logf("%d contenders: the interval holds the ratio in %.1f %%, and it is called worse in %.1f %%", k, held.percent(), called.percent())
		for what, s := range map[string]share{"held": held, "called worse": called} {
			if missed := s.all - s.so; missed > most(s.all, 0.05) {
				t.Errorf("%d contenders: %s in %d of %d, want 95 of 100", k, what, s.so, s.all)
			}
		}
	}
}
