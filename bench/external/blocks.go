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

// Blocks is the file of blocks that the programs of a run share. Exact programs share the blocks, and
// the key of a timer is its slot. A coarse program may hold a timer longer than the script does, so it
// gets slots and blocks of its own. The zero value is ready for use and has no file yet.
type Blocks struct {
	mu       sync.Mutex
	file     *os.File
	programs *os.File // the same file, opened for reading
	coarse   int      // number of coarse programs
	floors   bool     // a program is a floor, so blocks end with the timers that fire
	held     [roundBlocks]*loaded
	memory   []byte
}

const (
	roundBlocks = 4       // most blocks that a program prepares before the first one runs
	blockRoom   = 1 << 34 // bytes from block to block; the file is sparse
)

// loaded is a block in the file, with its expected outcome.
type loaded struct {
	serial            uint64 // script.Block.Serial
	place             int    // number of the block in its round
	at                int64  // offset in the file
	bytes, slots, ops int
	pops              []structures.Tick
	due               []expected
	want              answer // expected of an exact program
}

func (s *Blocks) open() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		s.file, s.programs, err = nameless()
	}
	return err
}

// Close closes the file. All programs must have ended.
func (s *Blocks) Close() {
	if s.file != nil {
		_, _ = s.file.Close(), s.programs.Close()
	}
}

// nameless creates a file in memory and opens it a second time for reading. The file has no name, so a
// process that is killed leaves nothing behind.
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

// ownPlace returns the offset of the first block of the next coarse program.
func (s *Blocks) ownPlace() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.coarse++
	return int64(s.coarse) * roundBlocks * blockRoom
}

// put writes block i of a round to the file. of holds the slots of a coarse program, whose blocks begin
// at first. For exact programs of is nil, and a block that is in the file already is not written again.
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
		l.want, s.held[i] = answer{Fired: uint64(len(l.due)), Checksum: b.KeySum(), Len: b.Want.Pending}, l
	} else {
		l.slots = of.most
	}
	if s.floors && of == nil { // deadline and slot of each timer that fires, in firing order
		for _, f := range l.due {
			s.memory = binary.LittleEndian.AppendUint64(s.memory, uint64(f.At))
			s.memory = binary.LittleEndian.AppendUint64(s.memory, uint64(f.slot))
		}
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

// largeBlock is the largest buffer in bytes that put keeps for the next block (chosen).
const largeBlock = 8 << 20

// slots assigns slots to the timers of a coarse program. In a nil slots the key is the slot.
type slots struct {
	of   map[uint32]uint32 // by key
	free []uint32          // slots to reuse
	most int               // number of slots so far
}

// slot returns the slot of the timer with a key. A schedule takes a slot, a cancel frees it.
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

// encodeBlock appends the encoding of b to out. It calls slot once for each operation, in order. It skips
// calls with stale IDs, which slots cannot express.
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
	out = append(out, make([]byte, -len(out)&(opSize-1))...) // align operations to 16 bytes
	for kind, op := range b.All() {
		if kinds[kind] >= 0 {
			out = le.AppendUint64(out, uint64(op.At))
			out = le.AppendUint64(out, uint64(slot(kind, op)))
		}
	}
	return out
}
