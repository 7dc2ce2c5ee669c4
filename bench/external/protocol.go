// Package external runs programs of any language in a benchmark. A program holds timers in a structure of its
// own, replays the blocks of a script on it, and times its own loop. docs/external.md describes the protocol;
// files/timerbench.h implements the side of the program.
package external

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures"
)

// Version is the version of the protocol. Start refuses programs of other versions.
const Version = 1

// The first four bytes of a hello, an answer and a block.
const (
	helloMagic  = 0x4842_4d54 // TMBH
	answerMagic = 0x4142_4d54 // TMBA
	blockMagic  = 0x4242_4d54 // TMBB
)

// Sizes in bytes.
const (
	helloSize  = 256
	answerSize = 64
	headSize   = 32 // the head of a block
	batchSize  = 8
	opSize     = 16
	fireSize   = 16
)

type request uint32

const (
	begin request = 1 + iota // make a fresh instance
	load                     // prepare a block of the file of blocks
	run                      // replay a loaded block
)

// The kinds of operations in a block file.
const (
	opSchedule = iota
	opCancel
	opReschedule
	opPop
	opPopOne // the first timer that fires cancels the other one
)

// Flags of a hello.
const (
	flagInlined   = 1 << iota // the structure is compiled into the loop
	flagVirtual               // the structure calls back through a pointer
	flagCoarse                // it fires late, within its declared bound
	flagFloor                 // it has no structure: blocks tell it what fires
	flagIntrusive             // its timers are fields of the caller's structs
	flagPopOne                // it knows opPopOne
)

// About is the content of a hello.
type About struct {
	results.External

	PopsOne     bool // see [Program.PopOne]
	lateTicks   structures.Tick
	lateOfDelay [2]uint32 // numerator and denominator
}

// Late returns how many ticks late a coarse program may fire a timer with a delay.
func (a About) Late(delay structures.Tick) structures.Tick {
	late := a.lateTicks
	if n, d := a.lateOfDelay[0], a.lateOfDelay[1]; d > 0 {
		share := float64(delay) * float64(n) / float64(d)
		late += structures.Tick(min(share, math.MaxInt64/4))
	}
	return late
}

func decodeHello(b []byte) (a About, err error) {
	le := binary.LittleEndian
	switch version := le.Uint32(b[4:]); {
	case le.Uint32(b) != helloMagic:
		return a, fmt.Errorf("it begins with %q, want a hello of version %d, see docs/external.md",
			printable(b[:32]), Version)
	case version != Version:
		return a, fmt.Errorf("it speaks version %d of the protocol, want %d", version, Version)
	}
	flags := le.Uint32(b[8:])
	a.External = results.External{
		Inlined: flags&flagInlined != 0, Virtual: flags&flagVirtual != 0,
		Coarse: flags&flagCoarse != 0, Floor: flags&flagFloor != 0, Intrusive: flags&flagIntrusive != 0,
		Limit:   int(le.Uint32(b[12:])),
		ClockNS: math.Float64frombits(le.Uint64(b[16:])), WakeNS: math.Float64frombits(le.Uint64(b[24:])),
		Language: text(b[48:80]), Version: text(b[80:128]), Note: text(b[128:256]),
	}
	a.PopsOne = flags&flagPopOne != 0
	a.lateTicks = structures.Tick(le.Uint64(b[32:]))
	a.lateOfDelay = [2]uint32{le.Uint32(b[40:]), le.Uint32(b[44:])}
	for what, ns := range map[string]float64{"a reading of its clock": a.ClockNS, "a wake-up": a.WakeNS} {
		if !(ns >= 0 && ns <= 1e9) { // NaN, too
			return a, fmt.Errorf("its hello says that %s takes %g ns, want a number from 0 to 1e9", what, ns)
		}
	}
	if a.Coarse && a.Floor {
		return a, errors.New("its hello says that it is coarse and a floor, want one of the two")
	}
	if a.Coarse && (a.lateTicks < 0 || a.lateTicks > math.MaxInt64/4) {
		return a, fmt.Errorf("it declares a bound of %d ticks, want 0 or more", a.lateTicks)
	}
	return a, nil
}

// text returns a text field of a hello in one line.
func text(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(b), "?")), " ")
}

// printable returns output of a program as valid UTF-8.
func printable(b []byte) string { return strings.ToValidUTF8(string(bytes.TrimRight(b, "\x00")), "?") }

type message struct {
	Kind    request
	Block   uint32
	A, B, C uint64
}

// answer is the answer to a request. All fields but the first two describe the block of a run request.
type answer struct {
	Magic        uint32
	Kind         request
	NS           uint64
	Fired        uint64
	Checksum     uint64
	Len          uint64 // pending timers
	Collections  uint64 // garbage collections during the block
	CollectionNS uint64
	CompileNS    uint64 // time of a compiler during the block
}

// Fire is a timer that fired, as the program reports it.
type Fire struct {
	At         structures.Tick // tick of the pop
	Slot, Zero uint32
}
