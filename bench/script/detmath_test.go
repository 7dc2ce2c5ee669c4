package script

import (
	"math"
	"testing"
)

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
