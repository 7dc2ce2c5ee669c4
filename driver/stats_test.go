package driver

import (
	"math"
	"slices"
	"testing"
	"time"
)

// Buckets are in order and without gaps, and the upper end of each is at most 1/32 above its values.
func TestLatenessBuckets(t *testing.T) {
	for bucket := range latenessBuckets - 1 {
		at := latenessAt(bucket)
		if latenessBucket(at) != bucket || latenessBucket(at+1) != bucket+1 {
			t.Fatalf("bucket %d ends at %d, which is in bucket %d; the next number in %d", bucket, at, latenessBucket(at), latenessBucket(at+1))
		}
	}
	for ns := uint64(1); ns < math.MaxInt64/3; ns += ns/3 + 1 {
		if at := latenessAt(latenessBucket(ns)); at < ns || at-ns > ns/32 {
			t.Errorf("%d counts as %d", ns, at)
		}
	}
	if got := latenessBucket(math.MaxInt64); got >= latenessBuckets {
		t.Errorf("bucket %d of %d", got, latenessBuckets)
	}
}

func TestLatenessQuantiles(t *testing.T) {
	var l Distribution
	if l.Count() != 0 || l.Max() != 0 || l.Quantile(0.5) != 0 {
		t.Errorf("empty: %v", l)
	}
	var all []int64
	for i := range int64(1000) {
		ns := i * i * i
		l.add(ns, 2)
		all = append(all, ns, ns)
	}
	l.add(-5, 1)
	all = append(all, 0)
	slices.Sort(all)
	for _, q := range []float64{0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1} {
		want := all[min(len(all)-1, max(0, int(q*float64(len(all))+0.5)-1))]
		got := int64(l.Quantile(q))
		if got < want || got-want > want/32 {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
	if l.Count() != 2001 || l.Max() != time.Duration(all[len(all)-1]) {
		t.Errorf("%v", l)
	}
}
