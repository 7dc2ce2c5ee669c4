package trace

import "github.com/timerbench/timerbench/structures"

// keyTable finds the key of a pending timer by its ID. All structures of this
// module put a small number, the timer's slot, into the lower 32 bits of an ID, so
// that an array serves. Other IDs go into a map. A map for all would cost a
// Recorder 15 ns more a call with 1,000 timers pending and 100 ns with 100,000.
type keyTable struct {
	slots []keySlot // by the lower 32 bits of the ID
	count int       // slots in use
	other map[structures.ID]uint32
}

type keySlot struct {
	id  structures.ID // 0: not in use
	key uint32
}

func (t *keyTable) put(id structures.ID, key uint32) {
	slot := uint32(id)
	if int64(slot) >= int64(len(t.slots)) {
		if int64(slot) > int64(2*t.count+64) { // the array would be mostly empty
			t.putOther(id, key)
			return
		}
		t.slots = append(t.slots, make([]keySlot, int(slot)+1-len(t.slots))...)
	}
	if t.slots[slot].id != 0 {
		t.putOther(id, key)
		return
	}
	t.slots[slot] = keySlot{id, key}
	t.count++
}

func (t *keyTable) putOther(id structures.ID, key uint32) {
	if t.other == nil {
		t.other = make(map[structures.ID]uint32)
	}
	t.other[id] = key
}

// inSlots reports whether an ID is in the array.
func (t *keyTable) inSlots(id structures.ID) bool {
	slot := uint32(id)
	return id != 0 && int64(slot) < int64(len(t.slots)) && t.slots[slot].id == id
}

// find returns the key of an ID.
func (t *keyTable) find(id structures.ID) (key uint32, ok bool) {
	if t.inSlots(id) {
		return t.slots[uint32(id)].key, true
	}
	key, ok = t.other[id]
	return key, ok
}

// take returns the key of an ID and removes the ID.
func (t *keyTable) take(id structures.ID) (key uint32, ok bool) {
	if t.inSlots(id) {
		slot := &t.slots[uint32(id)]
		slot.id = 0
		t.count--
		return slot.key, true
	}
	key, ok = t.other[id]
	delete(t.other, id)
	return key, ok
}
