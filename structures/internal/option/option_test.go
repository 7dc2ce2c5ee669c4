package option

import (
	"testing"

	"github.com/timerbench/timerbench/structures/internal/checking"
)

func TestAPanicNamesPackageOptionAndValue(t *testing.T) {
	for want, check := range map[string]func(){
		"wheel: Slots(0): want a number from 1 to 9":           func() { Between("wheel", "Slots", 0, 1, 9) },
		"wheel: Slots(10): want a number from 1 to 9":          func() { Between("wheel", "Slots", 10, 1, 9) },
		"hwheel: Slots(3): want a power of two from 2 to 64":   func() { PowerOfTwo("hwheel", "Slots", 3, 2, 64) },
		"hwheel: Slots(128): want a power of two from 2 to 64": func() { PowerOfTwo("hwheel", "Slots", 128, 2, 64) },
		"hwheel: Slots(-1): want a power of two from 2 to 64":  func() { PowerOfTwo("hwheel", "Slots", -1, 2, 64) },
	} {
		checking.Panics(t, want, check)
	}
}

func TestGoodOptionsPass(t *testing.T) {
	if got := Between("wheel", "Slots", 9, 1, 9); got != 9 {
		t.Errorf("Between(9) = %d", got)
	}
	if got := PowerOfTwo("hwheel", "Slots", 64, 2, 64); got != 64 {
		t.Errorf("PowerOfTwo(64) = %d", got)
	}
	if got := Apply(Room{}, []func(*Room){Capacity("wheel", 9, 9)}).Capacity; got != 9 {
		t.Errorf("Capacity(9) = %d", got)
	}
	type config struct{ a, b int }
	double := func(c *config) { c.a *= 2 }
	if got := Apply(config{a: 3, b: 1}, []func(*config){double, double}); got != (config{12, 1}) {
		t.Errorf("Apply = %+v", got)
	}
}
