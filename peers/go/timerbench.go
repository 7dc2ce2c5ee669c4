// Package timerbench lets a program in Go take part in timerbench run --external: a reader of
// version 1 of the protocol, see docs/external.md. It is for what is to be compared with the same code in other
// languages; structures of Go take part without a program of their own.
package timerbench

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"
	"unsafe"
)

// Timers is a structure. A slot names a timer, and is used again after its timer fired or was
// cancelled. The clock starts at 0, and only Pop moves it.
type Timers interface {
	Reserve(slots int) // there are so many slots from now on; not timed
	Schedule(slot uint32, at int64)
	Cancel(slot uint32)
	Reschedule(slot uint32, at int64)
	Pop(now int64, fired *Fired) // reports each timer that is due
	Len() int
}

// Fired is what fired in a block.
type Fired struct {
	count, checksum uint64
	log             []op
}

// Add says that the timer of a slot fires in the pop at a tick.
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
	batches []batch
	ops     []op
}

// readBlock reads a block file into memory of its own. It is not timed.
func readBlock(path string) (b block, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return b, err
	}
	var head struct {
		Magic, Version      uint32
		Batches, Ops, Slots uint64
	}
	r := bytes.NewReader(data)
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil {
		return b, err
	}
	if head.Magic != 0x42424d54 || head.Version != 1 {
		return b, fmt.Errorf("%s: no block of version 1", path)
	}
	b.batches, b.ops = make([]batch, (head.Batches+1)/2*2), make([]op, head.Ops)
	if err := readInto(r, b.batches); err != nil {
		return b, err
	}
	b.batches = b.batches[:head.Batches]
	return b, readInto(r, b.ops)
}

// readInto reads records of fixed width as they lie in memory: the machine is little-endian.
func readInto[T batch | op](r io.Reader, records []T) error {
	if len(records) == 0 {
		return nil
	}
	size := len(records) * int(unsafe.Sizeof(records[0]))
	_, err := io.ReadFull(r, unsafe.Slice((*byte)(unsafe.Pointer(&records[0])), size))
	return err
}

// replay does the operations. This is what is timed.
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

// costs measures the clock, and a wake-up on which nothing is due.
func costs[T Timers](t T) (clock, wake float64) {
	clock, wake = 1e9, 1e9
	t.Reserve(1)
	t.Schedule(0, 1e9)
	now := int64(0)
	for range 50 {
		start := time.Now()
		for range 100 {
			time.Now()
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

// Serve answers the runner until its requests end.
func Serve[T Timers](version string, fresh func() T) error {
	folder := os.Getenv("TIMERBENCH_FOLDER")
	out := make([]byte, 256)
	le := binary.LittleEndian
	clock, wake := costs(fresh())
	_, _ = binary.Encode(out, le, struct {
		Magic, Version, Flags, Limit uint32
		Clock, Wake                  float64
	}{0x48424d54, 1, 2, 0, clock, wake})
	copy(out[48:79], runtime.Version())
	copy(out[80:127], version)
	copy(out[128:255], "by dictionary of types: a call of the loop is one through a table")
	if _, err := os.Stdout.Write(out); err != nil {
		return err
	}
	timers := fresh()
	var blocks [8]block
	var request struct {
		Kind, Block uint32
		A, B, _     uint64
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
			var err error
			path := filepath.Join(folder, fmt.Sprintf("block-%d", request.Block))
			if blocks[request.Block], err = readBlock(path); err != nil {
				return err
			}
			timers.Reserve(int(request.B))
		default:
			fired.log = make([]op, 0, request.A)
			debug.ReadGCStats(&before)
			start := time.Now()
			replay(timers, blocks[request.Block], &fired)
			took = time.Since(start)
			debug.ReadGCStats(&after)
			if request.A > 0 {
				if err := writeFires(filepath.Join(folder, "fires"), fired.log); err != nil {
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

func writeFires(path string, fires []op) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, o := range fires {
		if err := binary.Write(f, binary.LittleEndian, []int64{o.at, int64(o.slot)}); err != nil {
			return err
		}
	}
	return nil
}
