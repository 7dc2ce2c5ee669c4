package fifo

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures/internal/rules"
)

func TestOccupancyAgreesWithBools(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 63, 64, 65, 128, 705, 4095, 4096, 4097, 64*64*64 + 1} {
		o := NewOccupancy(n)
		want := make([]bool, n)
		from := func(i int) int { // the first one set from i on
			if at := slices.Index(want[i:], true); at >= 0 {
				return i + at
			}
			return -1
		}
		for range 600 {
			// Mostly a few bits, so that whole words and levels become empty again.
			i := rng.IntN(n)
			if set := from(0); set >= 0 && rng.IntN(5) < 2 {
				i = set
			}
			if want[i] {
				o.Clear(i)
			} else {
				o.Set(i)
			}
			want[i] = !want[i]
			if o.Has(i) != want[i] {
				t.Fatalf("n %d: Has(%d) = %t", n, i, !want[i])
			}
			if got := o.First(); got != from(0) {
				t.Fatalf("n %d: First() = %d, want %d", n, got, from(0))
			}
			for _, i := range []int{0, i, i + 1, rng.IntN(n), n} {
				if got := o.Next(i); got != from(i) {
					t.Fatalf("n %d: Next(%d) = %d, want %d", n, i, got, from(i))
				}
			}
			o.Check()
		}
	}
}

func TestOccupancyChangesTwiceTheSame(t *testing.T) {
	o := NewOccupancy(5000)
	o.Clear(4242)
	o.Set(4242)
	o.Set(4242)
	if got := o.First(); got != 4242 {
		t.Fatalf("First() = %d, want 4242", got)
	}
	o.Clear(4242)
	o.Clear(4242)
	if got := o.First(); got != -1 {
		t.Fatalf("First() = %d, want -1", got)
	}
}

func TestCheckNamesAWrongBit(t *testing.T) {
	o := NewOccupancy(5000)
	o.Set(4242)
	o.levels[1][1] = 0
	if rules.FirstBroken(&o, o.Check) == nil {
		t.Fatal("Check found nothing")
	}
}
