package driver

import (
	"sync/atomic"
	"unsafe"
)

// homes is how many goroutines are told apart when a shard is chosen.
const homes = 64

// stay is how many timers a goroutine puts into one shard before it moves on to the
// next: many, so that what it touches is in its cache; not all, as others would then
// wait for each other who stop what one goroutine has started.
const stay = 1024

// home is the shard that the goroutines of one hash use.
type home struct {
	shard atomic.Uint32
	inits atomic.Uint32 // timers that were given a shard and not put into it
}

// here tells goroutines apart by where their stacks are. The same goroutine may get
// another number at another time, and two may get the same.
func here() uint {
	var onStack byte
	return uint(uint64(uintptr(unsafe.Pointer(&onStack))>>11) * 0x9e3779b97f4a7c15 >> 58)
}

// lock locks a shard for a new timer. Goroutines that run at the same time get
// different ones, mostly.
func (d *Driver) lock() *shard {
	home := &d.homes[here()%homes]
	i := home.shard.Load()
	sh := &d.shards[i]
	if !sh.mu.TryLock() {
		return d.lockAnother(home, i)
	}
	if sh.put%stay == stay-1 {
		home.shard.Store((i + 1) % uint32(len(d.shards)))
	}
	return sh
}

// assign returns a shard for a new timer that is not started yet.
func (d *Driver) assign() *shard {
	home := &d.homes[here()%homes]
	i := home.shard.Load()
	if home.inits.Add(1)%stay == 0 {
		home.shard.Store((i + 1) % uint32(len(d.shards)))
	}
	return &d.shards[i]
}

// lockAnother locks a shard that is free, where there is one. The goroutine moves
// there.
func (d *Driver) lockAnother(home *home, i uint32) *shard {
	for range 3 {
		next := (i + 1) % uint32(len(d.shards))
		if sh := &d.shards[next]; sh.mu.TryLock() {
			home.shard.Store(next)
			return sh
		}
		i = next
	}
	sh := &d.shards[home.shard.Load()]
	sh.mu.Lock()
	return sh
}
