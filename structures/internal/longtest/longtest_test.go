package longtest

import (
	"flag"
	"runtime"
	"strings"
	"testing"
)

// fatal is a testing.TB that keeps the message of Fatalf.
type fatal struct {
	testing.TB
	says string
}

func (f *fatal) Fatalf(format string, args ...any) {
	f.says = format
	runtime.Goexit()
}

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

func TestOtherValuesEndTheTest(t *testing.T) {
	t.Setenv(Env, "yes")
	f := &fatal{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		Scale(f, 1, 2, 3)
	}()
	<-done
	if !strings.Contains(f.says, "want 0 or 1") {
		t.Errorf("says %q", f.says)
	}
}
