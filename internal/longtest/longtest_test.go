package longtest

import (
	"flag"
	"testing"
)

func TestScale(t *testing.T) {
	defer func(was string) { _ = flag.Set("test.short", was) }(flag.Lookup("test.short").Value.String())
	for _, c := range []struct {
		short, env string
		want       int
	}{
		{"false", "", 2}, {"false", "0", 2}, {"false", "1", 3},
		{"true", "", 1}, {"true", "0", 1}, {"true", "1", 1},
	} {
		_ = flag.Set("test.short", c.short)
		t.Setenv(Env, c.env)
		if got := Scale(t, 1, 2, 3); got != c.want {
			t.Errorf("short %s, %s=%q: %d, want %d", c.short, Env, c.env, got, c.want)
		}
	}
}
