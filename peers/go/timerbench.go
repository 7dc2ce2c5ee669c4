// Package timerbench lets a program in Go take part in timerbench run --external. It implements version 1 of the
// protocol in docs/external.md. It serves to compare Go with the same code in other languages; structures in
// Go need no program of their own.
package timerbench

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
	"unsafe"
)

// Timers is a structure. A slot names a timer and is reused after its timer fired or was cancelled. The clock starts at
// 0, and only Pop moves it.
type Timers interface {
	Reserve(slots int) // grows to this number of slots; not timed
	Schedule(slot uint32, at int64)
	Cancel(slot uint32)
	Reschedule(slot uint32, at int64)
	Pop(now int64, fired *Fired) // reports each timer that is due
	Len() int
}

// Fired collects the timers that fire in a block.
type Fired struct {
	count, checksum uint64
	log             []op
	due             []op // for a floor: the timers that are still to fire in the block
}

// Due returns the slot of the next due timer to a floor. ok is false if none is due.
func (f *Fired) Due(now int64) (slot uint32, ok bool) {
	if len(f.due) == 0 || f.due[0].at > now {
		return 0, false
	}
	slot, f.due = f.due[0].slot, f.due[1:]
	return slot, true
}

// Add reports that the timer of a slot fires in the pop at tick now.
func (f *Fired) Add(now int64, slot uint32) {
	h := uint64(now)*0x9e3779b97f4a7c15 + uint64(slot)*0xd1b54a32d192ed03
	h ^= h >> 32
	f.checksum += h * 0xff51afd7ed558ccd
	f.count++
	if len(f.log) < cap(f.log) {
		f.log = append(f.log, op{at: now, slot: slot})
	}
}

type op struct {
	at   int64
	slot uint32
	_    uint32
}

type batch struct{ kind, len uint32 }

type block struct {
	memory  []byte
	batches []batch
	ops     []op
	fires   []op // the timers that fire, in a run with a floor
	sum     byte
}

// mapBlock maps a block into memory. It uses the format of the file directly, on a little-endian machine. It is
// not timed.
func mapBlock(b *block, at int64, size int) (err error) {
	if b.memory != nil {
		_ = syscall.Munmap(b.memory)
	}
	if b.memory, err = syscall.Mmap(3, at, size, syscall.PROT_READ, syscall.MAP_SHARED); err != nil {
		return err
	}
	type header struct {
		magic, version      uint32
		batches, ops, slots uint64
	}
	head := (*header)(unsafe.Pointer(&b.memory[0]))
	if head.magic != 0x42424d54 || head.version != 1 {
		return errors.New("no block of version 1")
	}
	first := 32 + (head.batches+1)/2*16
	b.batches = unsafe.Slice((*batch)(unsafe.Pointer(&b.memory[32])), head.batches)
	all := unsafe.Slice((*op)(unsafe.Add(unsafe.Pointer(head), first)), (uint64(size)-first)/16)
	b.ops, b.fires = all[:head.ops:head.ops], all[head.ops:]
	for i := 0; i < size; i += 4096 { // touch all pages before the timed loop
		b.sum += b.memory[i]
	}
	return nil
}

// replay executes the operations of a block. This is the timed code.
func replay[T Timers](t T, b block, fired *Fired) {
	rest := b.ops
	for _, batch := range b.batches {
		ops := rest[:batch.len]
		rest = rest[batch.len:]
		switch batch.kind {
		case 0:
			for i := range ops {
				t.Schedule(ops[i].slot, ops[i].at)
			}
		case 1:
			for i := range ops {
				t.Cancel(ops[i].slot)
			}
		case 2:
			for i := range ops {
				t.Reschedule(ops[i].slot, ops[i].at)
			}
		default:
			for i := range ops {
				t.Pop(ops[i].at, fired)
			}
		}
	}
}

// costs measures the cost of reading the clock and of a wake-up on which nothing is due.
func costs[T Timers](t T) (clock, wake float64) {
	clock, wake = 1e9, 1e9
	t.Reserve(1)
	t.Schedule(0, 1e9)
	now := int64(0)
	for range 50 {
		start := time.Now()
		for range 100 {
			_ = time.Now()
		}
		clock = min(clock, float64(time.Since(start))/101)
		start = time.Now()
		for range 1000 {
			now++
			t.Pop(now, &Fired{})
		}
		wake = min(wake, float64(time.Since(start))/1000)
	}
	return clock, wake
}

// Flags for Serve.
const (
	Virtual   = 2  // calls go through a pointer
	Floor     = 8  // there is no structure; Fired.Due returns the timers to fire
	Intrusive = 16 // the timers are fields of the caller's structs
)

// Serve answers the requests of the runner until standard input ends. fresh makes an empty structure.
func Serve[T Timers](version string, flags uint32, fresh func() T) error {
	out := make([]byte, 256)
	le := binary.LittleEndian
	clock, wake := costs(fresh())
	_, _ = binary.Encode(out, le, struct {
		Magic, Version, Flags, Limit uint32
		Clock, Wake                  float64
	}{0x48424d54, 1, flags, 0, clock, wake})
	copy(out[48:79], runtime.Version())
	copy(out[80:127], version)
	copy(out[128:255], "by dictionary of types: a call of the loop is one through a table")
	if _, err := os.Stdout.Write(out); err != nil {
		return err
	}
	timers := fresh()
	var blocks [4]block
	var request struct {
		Kind, Block uint32
		A, B, C     uint64
	}
	for binary.Read(os.Stdin, le, &request) == nil {
		var fired Fired
		var took time.Duration
		var before, after debug.GCStats
		switch request.Kind {
		case 1:
			timers = fresh()
			timers.Reserve(int(request.A))
			runtime.GC()
		case 2:
			if err := mapBlock(&blocks[request.Block], int64(request.C), int(request.A)); err != nil {
				return err
			}
			timers.Reserve(int(request.B))
		default:
			fired.log, fired.due = make([]op, 0, request.A), blocks[request.Block].fires
			debug.ReadGCStats(&before)
			start := time.Now()
			replay(timers, blocks[request.Block], &fired)
			took = time.Since(start)
			debug.ReadGCStats(&after)
			if request.A > 0 {
				if err := writeFires(fired.log); err != nil {
					return err
				}
			}
		}
		err := binary.Write(os.Stdout, le, []uint64{
			0x41424d54 | uint64(request.Kind)<<32, uint64(took), fired.count, fired.checksum,
			uint64(timers.Len()), uint64(after.NumGC - before.NumGC), uint64(after.PauseTotal - before.PauseTotal), 0,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func writeFires(fires []op) error {
	var out []byte
	for _, o := range fires {
		out, _ = binary.Append(out, binary.LittleEndian, []int64{o.at, int64(o.slot)})
	}
	_, err := syscall.Pwrite(4, out, 0)
	return err
}
