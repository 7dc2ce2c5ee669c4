package workload

import (
	"testing"
	"time"

	"github.com/timerbench/timerbench/internal/fail"
)

// Of these each parameter is in its range, and what follows from them is not.
func TestFlowsWithoutASteadyStateAreRefused(t *testing.T) {
	t.Parallel()
	logNormal := Delay{Kind: "lognormal", Median: Duration(time.Millisecond), UpperQuartile: Duration(145 * time.Millisecond)}
	for name, c := range map[string]struct {
		delay, warmUp time.Duration
		want          string // the key
	}{
		"completions that may take for ever":        {300_000 * time.Hour, 0, "class[0].completion"},
		"the same, started empty":                   {300_000 * time.Hour, time.Second, ""},
		"completions that are bounded by the delay": {time.Second, 0, ""},
	} {
		f := Flow{WarmUp: Duration(c.warmUp), Classes: []Class{{Rate: 10, Delay: Delay{Kind: "constant", Mean: Duration(c.delay)}, Completion: &logNormal}}}
		if got := f.Check(); (len(got) > 0) != (c.want != "") || len(got) > 0 && got[0].Key != c.want {
			t.Errorf("%s: errors %v, want one of %q", name, got, c.want)
		}
	}
}

func TestDurationsAreWrittenShortAndReadBack(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0s", "20ms", "1.5s", "10s", "2m", "1m30s", "1h", "1h0m10s", "10h", "1h30m", "75s"} {
		var d Duration
		fail.If(t, d.UnmarshalText([]byte(text)))
		var again Duration
		if err := again.UnmarshalText([]byte(d.String())); err != nil || again != d || len(d.String()) > len(text)+2 {
			t.Errorf("%s is written %s and read as %v (%v)", text, d, again, err)
		}
	}
	var d Duration
	fail.UnlessError(t, d.UnmarshalText([]byte("5 apples")), "100ms")
}
