package hwheel

import "math/bits"

// ring has the slots of a level. Slot i holds the timers of the spans whose number is i modulo ringLen.
type ring struct {
	summary  uint64               // one bit per nonzero word of occupied
	occupied [ringLen / 64]uint64 // one bit per slot with a chunk
	lists    [ringLen]list
	added    [ringLen]uint32 // chunks added since the list was empty, less the moved ones
}

const (
	ringBits = 12
	ringLen  = 1 << ringBits
	ringMask = ringLen - 1
)

func (g *ring) empty() bool { return g.summary == 0 }

func (g *ring) setOccupied(slot uint32) {
	g.occupied[slot>>6] |= 1 << (slot & 63)
	g.summary |= 1 << (slot >> 6)
}

func (g *ring) setEmpty(slot uint32) {
	word := &g.occupied[slot>>6]
	*word &^= 1 << (slot & 63)
	if *word == 0 {
		g.summary &^= 1 << (slot >> 6)
	}
}

// next returns the number of the first occupied slot at or after number. The ring must not be empty.
func (g *ring) next(number uint64) uint64 {
	from := uint32(number) & ringMask
	if rest := g.occupied[from>>6] >> (from & 63); rest != 0 {
		return number + uint64(bits.TrailingZeros64(rest))
	}
	// The following words, in the order of the ring. The word of from comes last, because the slots before
	// from are almost a revolution ahead.
	after := from>>6 + 1
	word := (after + uint32(bits.TrailingZeros64(bits.RotateLeft64(g.summary, -int(after))))) & 63
	slot := word<<6 + uint32(bits.TrailingZeros64(g.occupied[word]))
	return number + uint64((slot-from)&ringMask)
}
