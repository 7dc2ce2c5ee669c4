package report

import "testing"

func TestGridName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]gridPlace{
		"grid-uniform-50": {"uniform", 50}, "grid-heavy-tail-0": {"heavy-tail", 0}, "grid-50": {}, "hold": {}, "grid-uniform-x": {},
	} {
		got, ok := gridName(name)
		if ok != (want.distribution != "") || (ok && got != want) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, ok, want)
		}
	}
}
