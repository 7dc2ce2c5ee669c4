package workload

import (
	"strings"
	"testing"
	"time"
)

func TestEveryBuiltInHasAModel(t *testing.T) {
	t.Parallel()
	for _, w := range All() {
		if w.Category == "" || (w.Category == Grid) != (w.Grid != nil) {
			t.Errorf("%s: category %q, place in the grid %v", w.Name, w.Category, w.Grid)
		}
		if w.Kind().Name == "" {
			t.Errorf("%s: its model is not in the list of models", w.Name)
		}
	}
}

// Of these each parameter is in its range, and what follows from them is not.
func TestFlowsWithoutASteadyStateAreRefused(t *testing.T) {
	t.Parallel()
	constant := func(mean time.Duration) Delay { return Delay{Kind: "constant", Mean: Duration(mean)} }
	logNormal := Delay{Kind: "lognormal", Median: Duration(time.Millisecond), UpperQuartile: Duration(145 * time.Millisecond)}
	for _, c := range []struct {
		name  string
		delay time.Duration
		flow  Flow
		want  bool
	}{
		{"completions that may take for ever", 300_000 * time.Hour, Flow{}, true},
		{"the same, started empty", 300_000 * time.Hour, Flow{WarmUp: Duration(time.Second)}, false},
		{"completions that are bounded by the delay", time.Second, Flow{}, false},
	} {
		c.flow.Classes = []Class{{Rate: 10, Delay: constant(c.delay), Completion: &logNormal}}
		errs := c.flow.Check()
		if refused := len(errs) > 0; refused != c.want {
			t.Errorf("%s: errors %v", c.name, errs)
		} else if refused && errs[0].Key != "class[0].completion" {
			t.Errorf("%s: the error names %q", c.name, errs[0].Key)
		}
	}
}

func TestDurationsAreWrittenShortAndReadBack(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0s", "20ms", "1.5s", "10s", "2m", "1m30s", "1h", "1h0m10s", "10h", "1h30m", "75s"} {
		var d Duration
		if err := d.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		var again Duration
		if err := again.UnmarshalText([]byte(d.String())); err != nil || again != d || len(d.String()) > len(text)+2 {
			t.Errorf("%s is written %s and read as %v (%v)", text, d, again, err)
		}
	}
	var d Duration
	if err := d.UnmarshalText([]byte("5 apples")); err == nil || !strings.Contains(err.Error(), "100ms") {
		t.Errorf("5 apples is read as %v, error %v", d, err)
	}
}
