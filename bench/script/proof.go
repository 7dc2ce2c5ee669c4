package script

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
)

// Checksum mixes the deadline of a timer that has fired with its value. Sums of
// it do not depend on the order within a tick, which the contract leaves open.
func Checksum(deadline structures.Tick, value uint64) uint64 {
	h := uint64(deadline)*0x9e3779b97f4a7c15 + value*0xd1b54a32d192ed03
	h ^= h >> 32
	return h * 0xff51afd7ed558ccd
}

// LateChecksum weighs the checksum of a timer that has fired by its lateness, which
// is more than 0 where a program woke late.
func LateChecksum(at, deadline structures.Tick, sum uint64) uint64 { return uint64(at-deadline) * sum }

// Binding ties the ID of a timer to its value. Of the bindings of all timers, those
// of the timers that are done with are subtracted again when they fire or are
// cancelled; what is left must be the sum over the pending ones. An ID that is wrong,
// or two values that are swapped, change it: the product (id1-id2)(value1-value2) is
// not 0 modulo 2^64 unless the two differences have 63 factors of 2 between them.
func Binding(id structures.ID, value uint64) uint64 { return uint64(id) * (2*value&0x1_ffff_fffe + 1) }

// Proof is what a replay must agree on with the generator of its script.
type Proof struct {
	Scheduled uint64 `json:"scheduled"`
	Fired     uint64 `json:"fired"`
	Cancelled uint64 `json:"cancelled"`
	Pending   uint64 `json:"pending"`
	Checksum  uint64 `json:"checksum"` // over (tick, value) of every timer fired, in any order
}

// Check returns an error that says where p and the generator's account differ,
// or whose own sums do not come out.
func (p Proof) Check(want Proof) error {
	if p.Scheduled != p.Fired+p.Cancelled+p.Pending {
		return fmt.Errorf("scheduled %d, but fired %d + cancelled %d + pending %d = %d",
			p.Scheduled, p.Fired, p.Cancelled, p.Pending, p.Fired+p.Cancelled+p.Pending)
	}
	for _, c := range []struct {
		name      string
		got, want uint64
	}{
		{"scheduled", p.Scheduled, want.Scheduled},
		{"cancelled", p.Cancelled, want.Cancelled},
		{"fired", p.Fired, want.Fired},
		{"pending", p.Pending, want.Pending},
	} {
		if c.got != c.want {
			return fmt.Errorf("%s %d, want %d", c.name, c.got, c.want)
		}
	}
	if p.Checksum != want.Checksum {
		return fmt.Errorf("the checksum over (deadline, value) of what fired is %#x, want %#x: %d timers fired, but not those or not then",
			p.Checksum, want.Checksum, p.Fired)
	}
	return nil
}
