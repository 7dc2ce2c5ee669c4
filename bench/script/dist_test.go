package script

import (
	"math"
	"sort"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/timerbench/timerbench/internal/fail"
)

const draws = 200_000

// ksBound is the two-sided Kolmogorov-Smirnov bound at a level of 1e-4: with a
// fixed seed the test either always passes or never does.
var ksBound = 2.23 / math.Sqrt(draws)

// ks returns the largest distance between the empirical distribution function of
// the sample and cdf. Points of equal value count together.
func ks(sample []float64, cdf func(float64) float64) float64 {
	sort.Float64s(sample)
	n, worst := float64(len(sample)), 0.0
	for i := 0; i < len(sample); {
		j := i
		for j < len(sample) && sample[j] == sample[i] {
			j++
		}
		f := cdf(sample[i])
		if j == i+1 {
			worst = max(worst, math.Abs(f-float64(i)/n))
		}
		worst = max(worst, math.Abs(f-float64(j)/n))
		i = j
	}
	return worst
}

func mixtureCDF(parts ...func(float64) (weight, f float64)) func(float64) float64 {
	return func(x float64) float64 {
		sum := 0.0
		for _, p := range parts {
			w, f := p(x)
			sum += w * f
		}
		return sum
	}
}

func uniformPart(weight, low, high float64) func(float64) (float64, float64) {
	return func(x float64) (float64, float64) {
		return weight, distuv.Uniform{Min: low, Max: high}.CDF(x)
	}
}

// formulas are the distribution functions at mean 30,000, from the formulas and an independent library.
func formulas() map[string]func(float64) float64 {
	const mean = 30_000
	s := 2.0 / 21 * mean
	return map[string]func(float64) float64{
		"constant": func(x float64) float64 {
			if x < mean {
				return 0
			}
			return 1
		},
		"uniform":     distuv.Uniform{Min: 0, Max: 2 * mean}.CDF,
		"biased":      distuv.Uniform{Min: 0.9 * mean, Max: 1.1 * mean}.CDF,
		"triangular":  distuv.NewTriangle(0, 1.5*mean, 1.5*mean, nil).CDF,
		"exponential": distuv.Exponential{Rate: 1.0 / mean}.CDF,
		"pareto":      distuv.Pareto{Xm: mean / 3.0, Alpha: 1.5}.CDF,
		"lognormal":   distuv.LogNormal{Mu: math.Log(mean) - 0.5, Sigma: 1}.CDF,
		"bimodal":     mixtureCDF(uniformPart(0.9, 0, s), uniformPart(0.1, 100*s, 101*s)),
		"clustered": mixtureCDF(
			uniformPart(0.20, 990, 1010), uniformPart(0.20, 4950, 5050),
			uniformPart(0.24, 29_700, 30_300), uniformPart(0.36, 59_400, 60_600)),
	}
}

func TestDrawsFollowTheFormula(t *testing.T) {
	const mean = 30_000
	want := formulas()
	for _, named := range AllDists() {
		d, r := named.New(mean), NewRand(1, 2)
		sample := make([]float64, draws)
		for i := range sample {
			sample[i] = d.Draw(r)
		}
		if got := ks(sample, want[named.Name]); got > ksBound {
			t.Errorf("%s: distance to its distribution function %.5f, want at most %.5f", named.Name, got, ksBound)
		}
		if got := d.Mean; math.Abs(got/mean-1) > 1e-12 {
			t.Errorf("%s: Mean = %g, want %d", named.Name, got, mean)
		}
	}
}

// For any F, a residual has the distribution function 1/mean * integral of 1-F. This
// checks DrawBiased without a second set of formulas.
func TestResidualsFollowTheRenewalFormula(t *testing.T) {
	const mean, steps = 30_000, 400_000
	for name, f := range formulas() {
		named, ok := FindDist(name)
		if !ok {
			t.Fatalf("no distribution %q", name)
		}
		d, r := named.New(mean), NewRand(3, 4)
		sample := make([]float64, draws)
		for i := range sample {
			sample[i] = Residual(d, r)
		}
		sort.Float64s(sample)
		// Integrate up to a quantile well inside the sample; Pareto's tail is endless.
		top := sample[int(0.99*draws)]
		width, integral := top/steps, 0.0
		worst, i := 0.0, 0
		for k := range steps {
			x := (float64(k) + 0.5) * width
			integral += (1 - f(x)) * width / mean
			for i < len(sample) && sample[i] <= x+width/2 {
				i++
			}
			worst = max(worst, math.Abs(float64(i)/draws-integral))
		}
		if worst > ksBound+1e-4 {
			t.Errorf("%s: residuals are %.5f from the renewal formula, want at most %.5f", name, worst, ksBound+1e-4)
		}
	}
}

func TestLogNormalQuantiles(t *testing.T) {
	ref := distuv.LogNormal{Mu: math.Log(20), Sigma: math.Log(50.0/20) / distuv.UnitNormal.Quantile(0.75)}
	d, r, sample := LogNormalQuantiles(20, 50), NewRand(1, 2), make([]float64, draws)
	for i := range sample {
		sample[i] = d.Draw(r)
	}
	if got := ks(sample, ref.CDF); got > ksBound || math.Abs(d.Mean/ref.Mean()-1) > 1e-9 {
		t.Errorf("distance to its distribution function %.5f, want at most %.5f; mean %g, want %g", got, ksBound, d.Mean, ref.Mean())
	}
}

// The stream is fixed: the same seed gives the same script on any machine and with any release of Go.
func TestStreamIsFixed(t *testing.T) {
	r := NewRand(1, 2)
	got := []uint64{r.Uint64(), uint64(r.IntN(1000)), math.Float64bits(r.Float64()), math.Float64bits(r.Norm()), math.Float64bits(r.Exp())}
	want := []uint64{0xc4f5a58656eef510, 0x268, 0x3fe91a08c0a625f0, 0x3fe6bdc453b96e80, 0x40098375bfb650f7}
	fail.UnlessSame(t, "the stream", got, want)
}

func TestAgreesWithTheStandardLibrary(t *testing.T) {
	within := func(name string, x, got, want float64) {
		if math.Abs(got-want) > 4e-14*max(1, math.Abs(want)) {
			t.Errorf("%s(%g) = %.17g, want %.17g", name, x, got, want)
		}
	}
	for x := 1e-300; x < 1e300; x *= 1.7 {
		within("Log", x, Log(x), math.Log(x))
	}
	for x := -30.0; x < 30; x += 0.0137 {
		within("Exp", x, Exp(x), math.Exp(x))
	}
	for x := 1e-6; x < 1e6; x *= 1.3 {
		within("Pow", x, Pow(x, -1/1.5), math.Pow(x, -1/1.5))
	}
}

// The results have the same bits on any machine, so scripts are equal on any machine.
func TestBitsAreFixed(t *testing.T) {
	for _, c := range []struct {
		name string
		got  float64
		want uint64
	}{
		{"Log(20)", Log(20), 0x4007f7427b73e391},
		{"Exp(2.5)", Exp(2.5), 0x40285d6fd931e0bb},
		{"Pow(0.3, -2/3)", Pow(0.3, -2.0/3), 0x4001d9fee00723a0},
	} {
		if got := math.Float64bits(c.got); got != c.want {
			t.Errorf("%s has bits %#x, want %#x", c.name, got, c.want)
		}
	}
}
