package lines

import (
	"math/rand/v2"
	"time"
)

// Floor is what memory costs by itself: the least that any structure can take that
// keeps its timers in records.
type Floor struct {
	Touch float64 // ns to read and write a random one of n records of 32 bytes, each by itself
	Chase float64 // ns when each record names the next one
}

// MeasureFloor measures the floor among n records.
func MeasureFloor(n int) Floor {
	type record struct{ a, b, _, next uint64 }
	records := make([]record, n)
	r := rand.New(rand.NewPCG(1, 2))
	victims := newNumbers(n).victims[:]
	order := r.Perm(n)
	for i, at := range order {
		records[at].next = uint64(order[(i+1)%n])
	}
	var touch, chase []float64
	at := uint64(0)
	for range 5 {
		start := time.Now()
		for _, v := range victims {
			records[v].a++
		}
		touch = append(touch, float64(time.Since(start))/float64(len(victims)))
		const steps = 200_000
		start = time.Now()
		for range steps {
			at = records[at].next
		}
		chase = append(chase, float64(time.Since(start))/steps)
	}
	records[at].b++ // so that the chase is not for nothing
	return Floor{median(touch), median(chase)}
}
