package bench

import (
	"runtime"
	"sync"
)

// waiting is an object of a program to which a timer belongs: a connection, a request, an entry of a cache. It has 64 bytes,
// links to two others, and a buffer of 192 bytes (chosen).
type waiting struct {
	buffer     *[192]byte
	prev, next *waiting
	_          [5]uint64
}

func newWaiting(n int) []*waiting {
	list := make([]*waiting, n)
	for i := range list {
		list[i] = &waiting{buffer: new([192]byte)}
		if i > 0 {
			list[i].prev, list[i-1].next = list[i-1], list[i]
		}
	}
	return list
}

// collectAllTheTime runs one garbage collection after another, with an object of a program for each of n timers, until stop
// is called.
//
// A program makes garbage at its own rate, and its collector is active for a share of
// the time that depends on that rate. A collection would disturb some trials of a few milliseconds and
// not others. With an active collector all trials measure the same, and
// a program pays its own share of the difference.
func collectAllTheTime(n int) (stop func()) {
	objects, done := newWaiting(n), make(chan struct{})
	var collecting sync.WaitGroup
	collecting.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	})
	return func() {
		close(done)
		collecting.Wait()
		runtime.KeepAlive(objects)
	}
}
