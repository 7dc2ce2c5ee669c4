package external

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// Blocks are the blocks that the programs of a run replay, in a file that they share. All exact
// programs have the same ones: the key of a timer is its slot. A coarse program may hold a timer
// longer than the script does, so it has slots of its own, and blocks of its own. The zero value
// holds none.
type Blocks struct {
	mu       sync.Mutex
	file     *os.File
	programs *os.File // the same, which programs may only read
	coarse   int      // programs so far
	floors   bool     // some program is a floor: blocks end with what fires
	held     [roundBlocks]*loaded
	memory   []byte
}

const (
	roundBlocks = 4       // that a program prepares before the first of them runs
	blockRoom   = 1 << 34 // bytes between two blocks in the file, of which only what is written takes memory
)

// loaded is a block in the file, and what is to come of it.
type loaded struct {
	serial            uint64 // of the script.Block
	place             int    // in its round
	at                int64  // in the file
	bytes, slots, ops int
	pops              []structures.Tick
	due               []expected
	want              answer // of an exact program
}

// open makes the file.
func (s *Blocks) open() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		s.file, s.programs, err = nameless()
	}
	return err
}

// Close frees the memory, once all programs have ended.
func (s *Blocks) Close() {
	if s.file != nil {
		_, _ = s.file.Close(), s.programs.Close()
	}
}

// nameless returns a file in memory, and the same to read only. It has no name, so nothing is left
// of it when the process ends, however it does.
func nameless() (file, read *os.File, err error) {
	dir := "/dev/shm" // is never written to a disk
	if _, err := os.Stat(dir); err != nil {
		dir = ""
	}
	if file, err = os.CreateTemp(dir, "timerbench-"); err != nil {
		return nil, nil, err
	}
	read, err = os.Open(file.Name())
	return file, read, errors.Join(err, os.Remove(file.Name()))
}

// ownPlace returns the place of the first block of another coarse program.
func (s *Blocks) ownPlace() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.coarse++
	return int64(s.coarse) * roundBlocks * blockRoom
}

// tellFires appends what fires to the blocks from now on.
func (s *Blocks) tellFires() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.floors = true
}

// put encodes a block of a round for a coarse program, which has a first place and slots, or for
// exact ones, if it is not there yet.
func (s *Blocks) put(i int, b *script.Block, first int64, of *slots) (*loaded, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i >= roundBlocks {
		return nil, fmt.Errorf("a round of more than %d blocks", roundBlocks)
	}
	if l := s.held[i]; of == nil && l != nil && l.serial == b.Serial {
		return l, nil
	}
	l := &loaded{serial: b.Serial, place: i, at: first + int64(i)*blockRoom, ops: len(b.Ops), slots: b.Keys}
	fires := b.Fires
	s.memory = encodeBlock(s.memory[:0], b, func(kind script.Kind, op script.Op) uint32 {
		if kind != script.KindFire && kind != script.KindWake {
			return of.slot(kind, op.Key)
		}
		l.pops = append(l.pops, op.At)
		for len(fires) > 0 && fires[0].At <= op.At {
			l.due = append(l.due, expected{fires[0], of.slot(kind, fires[0].Key)})
			fires = fires[1:]
		}
		return 0
	})
	if of == nil {
		l.want, s.held[i] = want(l.pops, l.due, b.Want.Pending), l
	} else {
		l.slots = of.most
	}
	if s.floors && of == nil {
		s.memory = appendFires(s.memory, l.due)
	}
	binary.LittleEndian.PutUint64(s.memory[24:], uint64(l.slots))
	if l.bytes = len(s.memory); int64(l.bytes) > blockRoom {
		return nil, fmt.Errorf("a block of %d bytes", l.bytes)
	}
	_, err := s.file.WriteAt(s.memory, l.at)
	if len(s.memory) > largeBlock {
		s.memory = nil
	}
	return l, err
}

// largeBlock is how many bytes of memory are kept for the next block at most (chosen).
const largeBlock = 8 << 20

// slots gives the timers of a coarse program slots. Nil: the key is the slot.
type slots struct {
	of   map[uint32]uint32 // by key
	free []uint32          // to use again
	most int               // so far
}

// slot returns the slot of the timer of a key, which an operation of a kind is about.
func (s *slots) slot(kind script.Kind, key uint32) uint32 {
	if s == nil {
		return key
	}
	switch last := len(s.free) - 1; {
	case kind == script.KindCancel:
		s.free = append(s.free, s.of[key])
	case kind != script.KindSchedule:
	case last >= 0:
		s.of[key], s.free = s.free[last], s.free[:last]
	default:
		s.of[key] = uint32(s.most)
		s.most++
	}
	return s.of[key]
}

// encodeBlock appends a block file to out. slot returns the slot of each operation, in their order.
// Calls with stale IDs are left out: a slot has none.
func encodeBlock(out []byte, b *script.Block, slot func(script.Kind, script.Op) uint32) []byte {
	le := binary.LittleEndian
	kinds := [script.NumKinds]int{
		script.KindSchedule: opSchedule, script.KindCancel: opCancel, script.KindReschedule: opReschedule,
		script.KindFire: opPop, script.KindWake: opPop, script.KindRefused: -1,
	}
	out = append(out, make([]byte, headSize)...)
	last, count, ops := -1, uint32(0), 0
	for _, batch := range b.Batches {
		kind := kinds[batch.Kind]
		if kind < 0 {
			continue
		}
		if kind != last {
			out = le.AppendUint64(out, uint64(kind))
			last, count = kind, 0
		}
		count, ops = count+uint32(batch.Len), ops+batch.Len
		le.PutUint32(out[len(out)-4:], count)
	}
	le.PutUint32(out, blockMagic)
	le.PutUint32(out[4:], Version)
	le.PutUint64(out[8:], uint64(len(out)-headSize)/batchSize)
	le.PutUint64(out[16:], uint64(ops))
	out = append(out, make([]byte, -len(out)&(opSize-1))...) // operations lie at multiples of 16
	for kind, op := range b.All() {
		if kinds[kind] >= 0 {
			out = le.AppendUint64(out, uint64(op.At))
			out = le.AppendUint64(out, uint64(slot(kind, op)))
		}
	}
	return out
}

// appendFires appends the timers that fire in a block: deadline and slot of each, in order.
func appendFires(out []byte, due []expected) []byte {
	for _, f := range due {
		out = binary.LittleEndian.AppendUint64(out, uint64(f.At))
		out = binary.LittleEndian.AppendUint64(out, uint64(f.slot))
	}
	return out
}
