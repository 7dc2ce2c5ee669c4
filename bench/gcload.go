package bench

import "runtime"

// programHeap stands for the objects of a program. A timer of a server belongs to an object: a
// connection, a request, an entry of a cache. Here each timer has one object of 64 bytes, linked to two
// others, with a buffer of 192 bytes (chosen).
type programHeap struct{ things []*waiting }

type waiting struct {
	buffer     *[192]byte
	prev, next *waiting
	_          [5]uint64
}

func newProgramHeap(n int) *programHeap {
	h := &programHeap{things: make([]*waiting, n)}
	for i := range h.things {
		h.things[i] = &waiting{buffer: new([192]byte)}
		if i > 0 {
			h.things[i].prev = h.things[i-1]
			h.things[i-1].next = h.things[i]
		}
	}
	return h
}

// collectAllTheTime runs one garbage collection after another until stop is called.
//
// A program makes garbage at its own rate, and its collector is active for a share of
// the time that depends on that rate. A collection would disturb some trials of a few milliseconds and
// not others. With an active collector all trials measure the same, and
// a program pays its own share of the difference.
func (h *programHeap) collectAllTheTime() (stop func()) {
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	}()
	return func() {
		close(done)
		<-stopped
		runtime.KeepAlive(h)
	}
}
