// Package tickmap is a hash table from ticks to small numbers, for structures that find the bucket of a tick.
//
// It uses open addressing with linear probing. When it deletes an entry, it moves back the entries that were
// displaced by it. So there are no tombstones, and the steady state allocates nothing. A Go map occasionally
// allocates when entries are added and deleted.
package tickmap

import (
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
)

// Map maps ticks after 0 to numbers. The zero Map is empty.
type Map struct {
	entries []entry // a power of two of them, or none
	shift   int     // 64 less the bits of an index
	len     int
}

// entry is free while its tick is 0.
type entry struct {
	tick   structures.Tick
	number uint32
}

// Hash returns a number whose bits all depend on all bits of a tick, also of ticks that are evenly spaced: the finalizer of SplitMix64.
func Hash(tick structures.Tick) uint64 {
	x := uint64(tick)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	return (x ^ x>>27) * 0x94d049bb133111eb
}

// home returns the index at which the search for a tick begins.
func (m *Map) home(tick structures.Tick) int { return int(Hash(tick) >> m.shift) }

// Len returns the number of entries.
func (m *Map) Len() int { return m.len }

// Get returns the number of a tick. It costs O(1) expected.
func (m *Map) Get(tick structures.Tick) (number uint32, ok bool) {
	if m.len == 0 {
		return 0, false
	}
	mask := len(m.entries) - 1
	for i := m.home(tick); ; i = (i + 1) & mask {
		switch m.entries[i].tick {
		case tick:
			return m.entries[i].number, true
		case 0:
			return 0, false
		}
	}
}

// Put adds a tick that is not in the map, which is at most half full. It costs O(1) expected, amortized over growth.
func (m *Map) Put(tick structures.Tick, number uint32) {
	if 2*(m.len+1) > len(m.entries) {
		m.grow()
	}
	m.len++
	m.insert(entry{tick, number})
}

func (m *Map) insert(e entry) {
	mask := len(m.entries) - 1
	i := m.home(e.tick)
	for m.entries[i].tick != 0 {
		i = (i + 1) & mask
	}
	m.entries[i] = e
}

func (m *Map) grow() {
	old := m.entries
	m.entries = make([]entry, max(16, 2*len(old)))
	m.shift = 64 - bits.TrailingZeros(uint(len(m.entries)))
	for _, e := range old {
		if e.tick != 0 {
			m.insert(e)
		}
	}
}

// Delete removes a tick that is in the map. It costs O(1) expected.
func (m *Map) Delete(tick structures.Tick) {
	mask := len(m.entries) - 1
	hole := m.home(tick)
	for m.entries[hole].tick != tick {
		hole = (hole + 1) & mask
	}
	m.len--
	for i := (hole + 1) & mask; m.entries[i].tick != 0; i = (i + 1) & mask {
		// An entry may move back to the hole unless its search begins behind it.
		if (i-m.home(m.entries[i].tick))&mask >= (i-hole)&mask {
			m.entries[hole] = m.entries[i]
			hole = i
		}
	}
	m.entries[hole] = entry{}
}

// CheckInvariants returns an error unless each entry is found. It costs O(room).
func (m *Map) CheckInvariants() error {
	return rules.FirstBroken(m, func() {
		rules.Must(len(m.entries)&(len(m.entries)-1) == 0, "%d places are no power of two", len(m.entries))
		n := 0
		for _, e := range m.entries {
			if e.tick != 0 {
				n++
				number, ok := m.Get(e.tick)
				rules.Must(ok && number == e.number, "tick %d has number %d, but the search finds %d", e.tick, e.number, number)
			}
		}
		rules.Must(n == m.len, "%d entries, counted as %d", n, m.len)
	})
}
