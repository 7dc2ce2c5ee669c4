package replay

import (
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

func TestPercentilesCarryTheRangeOfInstances(t *testing.T) {
	l := NewLatencies()
	for _, ns := range []time.Duration{100, 300} {
		for range 1000 {
			l.record(script.KindFire, ns)
		}
		if l.EndInstance(); ns == 100 && l.Summary()[0].P50Range != nil {
			t.Error("one instance has a range")
		}
	}
	l.EndInstance() // without samples: none
	got := l.Summary()[0]
	if l.instances != 2 {
		t.Errorf("%d instances", l.instances)
	}
	if *got.P50Range != (results.Range{100, 300}) || *got.P999Range != *got.P99Range || got.Samples != 2000 || got.P99 != 300 || got.P50 != 100 {
		t.Errorf("%+v, ranges %v, %v, %v", got, *got.P50Range, *got.P99Range, *got.P999Range)
	}
}
