package micro

import (
	"math/rand/v2"
	"time"
)

// Floor is what memory costs by itself among n records of 32 bytes, in nanoseconds. An
// operation that touches a record which no cache holds takes no less than Touch, and
// no less than Chase if the record's place is known only then. One whose records are
// cached may take less.
type Floor struct {
	Touch float64 // to read and write a random record, where nothing waits for it
	Chase float64 // to read a random record that the one before names
}

type record struct{ touched, next, _, _ uint64 }

// MeasureFloor measures the floor among n records: the median of five rounds.
func MeasureFloor(n int) Floor {
	const touches, steps = 1 << 20, 200_000
	r := rand.New(rand.NewPCG(1, 2))
	records := newRecords(n, r)
	victims := make([]uint32, touches)
	for i := range victims {
		victims[i] = uint32(r.IntN(n))
	}
	var touched, chased []float64
	at := uint64(0)
	for range 5 {
		start := time.Now()
		touch(records, victims)
		touched = append(touched, float64(time.Since(start))/touches)
		start = time.Now()
		at = chase(records, at, steps)
		chased = append(chased, float64(time.Since(start))/steps)
	}
	return Floor{median(touched), median(chased)}
}

// newRecords makes n records, each of which names the next one in a random order of
// all.
func newRecords(n int, r *rand.Rand) []record {
	records := make([]record, n)
	order := r.Perm(n)
	for i, at := range order {
		records[at].next = uint64(order[(i+1)%n])
	}
	return records
}

func touch(records []record, victims []uint32) {
	for _, v := range victims {
		records[v].touched++
	}
}

// chase goes so many steps from one record to the next, and returns where it ends.
func chase(records []record, at uint64, steps int) uint64 {
	for range steps {
		at = records[at].next
	}
	return at
}
