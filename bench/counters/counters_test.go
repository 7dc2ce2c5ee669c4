package counters

import "testing"

func TestACountOfAPartOfTheTimeIsScaled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		count, enabled, running uint64
		want                    float64
	}{{100, 50, 50, 100}, {100, 50, 25, 200}, {0, 50, 0, 0}, {7, 0, 0, 0}} {
		if got := scaled(c.count, c.enabled, c.running); got != c.want {
			t.Errorf("scaled(%d, %d, %d) = %v, want %v", c.count, c.enabled, c.running, got, c.want)
		}
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	sum := Counts{}
	sum.Add(Counts{Cycles: 2, LLCMisses: 1})
	sum.Add(Counts{Cycles: 3})
	if sum[Cycles] != 5 || sum[LLCMisses] != 1 || len(sum) != 2 {
		t.Errorf("%v", sum)
	}
}
