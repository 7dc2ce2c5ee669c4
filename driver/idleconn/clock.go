package idleconn

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/driver/internal/machine"
)

// clock lets most Reads of many connections do without a reading of the clock. Time is divided into steps of 1/2048 to
// 1/4096 of the timeout. A Read that reads the clock stores the step. While hundreds of connections are used in a step, one
// connection in samplers reads the clock. The others store the word, which is the step at which the word was set last. Their
// bytes have moved before the word is set again, at a step that ends tells. So a timeout is never early. It is late if the
// word stands still, because so many connections fall silent at once that nobody reads the clock before a timer is due.
type clock struct {
	word  atomic.Uint32                         // a step; with the bit shared if Reads may store it without reading the clock
	users atomic.Uint32                         // connections that were the first time used in the step of word, by a reading of the clock
	mu    sync.Mutex                            // held to change word
	ends  atomic.Pointer[[maxAge]atomic.Uint64] // by step: the step of a word, and above it that of the next word
	_     [104]byte
}

const (
	stepBits = 24
	shared   = 1 << stepBits
	stepMask = shared - 1
	maxAge   = 8192 // steps, which are more than a timeout

	samplers  = 32
	manyUsers = 256                      // from so many on, the word is shared
	stillMany = manyUsers / samplers / 4 // while the word is shared, only samplers count

	leastShift = 12 // two steps are then longer than Now of a driver is ahead, which is 8 µs
)

var (
	base   = time.Now()
	clocks [64]clock // by shift: a step is 1<<shift ns
)

// clockFor returns the bits of a state that choose the clock. Inside a testing/synctest bubble and with Boottime, each call
// reads the clock of the driver.
func clockFor(d *driver.Driver, timeout time.Duration) (state uint64) {
	shift := shiftOf(timeout)
	if state = shift << shiftAt; !machine.PackageTime(d) {
		return state | exact
	}
	if ends := &clocks[shift].ends; ends.Load() == nil {
		ends.CompareAndSwap(nil, new([maxAge]atomic.Uint64))
	}
	return state
}

func shiftOf(timeout time.Duration) uint64 {
	return uint64(max(leastShift, bits.Len64(uint64(timeout)/2048)-1))
}

// after reports whether a step is after another one. The number after the largest one is 0.
func after(step, than uint32) bool { return int32((step-than)<<(32-stepBits)) > 0 }

func stepOf(ns int64, shift uint64) uint32 { return uint32(ns>>shift) & stepMask }

// set sets the word to the step of now. The lock is held.
func (k *clock) set(shift uint64) {
	word := k.word.Load()
	old, many := word&stepMask, uint32(manyUsers)
	k.word.Store(old) // from here on, nobody stores it
	step := stepOf(int64(time.Since(base)), shift)
	if step == old {
		k.word.Store(word)
		return
	}
	if word&shared != 0 {
		k.ends.Load()[old%maxAge].Store(uint64(step)<<32 | uint64(old))
		many = stillMany
	}
	if k.users.Swap(0) >= many && (step-old)&stepMask <= 2 {
		step |= shared
	}
	k.word.Store(step)
}

// end returns the step at which a word was replaced by the next one. It reports false if the word is not replaced yet.
func (k *clock) end(word uint32, shift uint64) (step uint32, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.set(shift)
	if word == k.word.Load() {
		return 0, false
	}
	old := word & stepMask
	if end := k.ends.Load()[old%maxAge].Load(); uint32(end) == old {
		return uint32(end >> 32), true
	}
	return k.word.Load() & stepMask, true // it was replaced long ago
}

// Touch stores the time, as a Read or Write that has moved bytes does, and ends a timeout. Call it after using the
// connection that Unwrap returns.
func (c *Conn) Touch() {
	state := c.state.Load()
	if word := clocks[state>>shiftAt].word.Load(); word&shared == 0 || state&exact != 0 || c.samples(word) {
		c.use()
	} else {
		for uint32(state)&(shared|stepMask) != word {
			faster := after(uint32(state), word) && state&shared != 0 // another call was
			if faster || c.state.CompareAndSwap(state, state&^(shared|stepMask)|uint64(word)) {
				break
			}
			state = c.state.Load()
		}
	}
	if c.isTimedOut() {
		c.revive()
	}
}

// samples reports whether a connection reads the clock while a word is shared.
func (c *Conn) samples(word uint32) bool {
	return (uint32(uintptr(unsafe.Pointer(c))/unsafe.Sizeof(*c))^word)%samplers == 0
}

// use stores the time, from a reading of the clock.
func (c *Conn) use() {
	ns := c.now()
	for {
		state := c.state.Load()
		step := stepOf(ns, state>>shiftAt)
		if !after(step, uint32(state>>readAt)) {
			return
		}
		if c.state.CompareAndSwap(state, state&^(stepMask<<readAt)|uint64(step)<<readAt) {
			if state&exact == 0 {
				clocks[state>>shiftAt].users.Add(1)
			}
			return
		}
	}
}

// renew is use for a connection that may not have been used for so long that the numbers of steps have come round. It ends a
// timeout, too.
func (c *Conn) renew() {
	for {
		state := c.state.Load()
		step := uint64(stepOf(c.now(), state>>shiftAt))
		if c.state.CompareAndSwap(state, state&^(timedOut|counter|stepMask<<readAt)|(state+takenBack)&counter|step<<readAt) {
			return
		}
	}
}

// now reads the clock, in ns, and sets the word if its step is over.
func (c *Conn) now() int64 {
	state := c.state.Load()
	if state&exact != 0 {
		return int64(c.rare.d.Now())
	}
	now, k := int64(time.Since(base)), &clocks[state>>shiftAt]
	if stepOf(now, state>>shiftAt) != k.word.Load()&stepMask && k.mu.TryLock() {
		k.set(state >> shiftAt)
		k.mu.Unlock()
	}
	return now
}

// idle returns for how long certainly nothing has moved.
func (c *Conn) idle() time.Duration {
	for {
		state := c.state.Load()
		shift := state >> shiftAt
		if state&shared == 0 {
			now := c.now()
			steps := int64(int32((stepOf(now, shift)-uint32(state>>readAt))<<(32-stepBits)) >> (32 - stepBits))
			// One step, as the bytes have moved before its end, and one because the clock of the driver may be ahead.
			return time.Duration((steps-2)<<shift + now&(1<<shift-1))
		}
		// Calls store a word until it is replaced. Then its end is as good as a reading of the clock.
		end, ok := clocks[shift].end(uint32(state)&(shared|stepMask), shift)
		if !ok {
			return 0
		}
		replaced := state &^ (shared | stepMask)
		if after(end, uint32(state>>readAt)) {
			replaced = replaced&^(stepMask<<readAt) | uint64(end)<<readAt
		}
		c.state.CompareAndSwap(state, replaced)
	}
}
