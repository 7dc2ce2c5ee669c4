package replay

import (
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/script"
)

func TestPercentilesCarryTheRangeOfInstances(t *testing.T) {
	l := NewLatencies()
	for _, ns := range []time.Duration{100, 300} {
		for range 1000 {
			l.record(script.KindFire, ns)
		}
		if l.EndInstance(); ns == 100 && l.Summary()[0].P99Range != nil {
			t.Error("one instance has a range")
		}
	}
	l.EndInstance() // without samples: none
	got := l.Summary()[0]
	if l.instances != 2 {
		t.Errorf("%d instances", l.instances)
	}
	if *got.P99Range != [2]float64{100, 300} || got.Samples != 2000 || got.P99 != 300 || got.P50 != 100 {
		t.Errorf("%+v, range %v", got, *got.P99Range)
	}
}
