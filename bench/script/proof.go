package script

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
)

// Checksum returns a hash of the deadline and the value of a timer that has fired. The hashes are summed up, because
// a sum does not depend on the order within a tick, which the contract does not specify.
func Checksum(deadline structures.Tick, value uint64) uint64 {
	h := uint64(deadline)*0x9e3779b97f4a7c15 + value*0xd1b54a32d192ed03
	h ^= h >> 32
	return h * 0xff51afd7ed558ccd
}

// LateChecksum multiplies the checksum of a timer that has fired by its lateness. The
// lateness is above 0 if the program woke late.
func LateChecksum(at, deadline structures.Tick, sum uint64) uint64 { return uint64(at-deadline) * sum }

// Binding returns a checksum of the ID of a timer and its value. A replay adds it when a timer is scheduled and
// subtracts it when the timer fires or is cancelled. At the end the sum must be that of the pending timers. A wrong
// ID changes the sum. Two swapped values change it too: by the product (id1-id2)(value1-value2) times 2, which is 0
// modulo 2^64 only if the two differences together have 63 factors of 2.
func Binding(id structures.ID, value uint64) uint64 { return uint64(id) * (2*value&0x1_ffff_fffe + 1) }

// Proof is the outcome of a replay, in counts and a checksum. It must be equal to that
// of the generator of the script.
type Proof struct {
	Scheduled uint64 `json:"scheduled"`
	Fired     uint64 `json:"fired"`
	Cancelled uint64 `json:"cancelled"`
	Pending   uint64 `json:"pending"`
	Checksum  uint64 `json:"checksum"` // sum of Checksum over the fired timers
}

// Check returns an error if p differs from want, or if the counts of p are not
// consistent. The error names the difference.
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
