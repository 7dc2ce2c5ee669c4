package trace

import "github.com/timerbench/timerbench/structures"

// keyTable finds the key of a pending timer by its ID. All structures of this
// module put a small number, the timer's slot, into the lower half of an ID; that
// makes an array of it. IDs of any other make go into a map, which would cost a
// Recorder 15 ns more a call with 1,000 timers pending and 100 ns with 100,000.
type keyTable struct {
	slots []keySlot // by the lower half of the ID
	count int       // in slots
	other map[structures.ID]uint32
}

type keySlot struct {
	id  structures.ID // 0: none
	key uint32
}

func (t *keyTable) put(id structures.ID, key uint32) {
	slot := uint32(id)
	if int64(slot) >= int64(len(t.slots)) {
		if int64(slot) > int64(2*t.count+64) { // sparse: an array would be mostly empty
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

func (t *keyTable) find(id structures.ID) (key uint32, ok bool) {
	if slot := uint32(id); id != 0 && int64(slot) < int64(len(t.slots)) && t.slots[slot].id == id {
		return t.slots[slot].key, true
	}
	key, ok = t.other[id]
	return key, ok
}

// take is find, and forgets the timer.
func (t *keyTable) take(id structures.ID) (key uint32, ok bool) {
	if slot := uint32(id); id != 0 && int64(slot) < int64(len(t.slots)) && t.slots[slot].id == id {
		t.slots[slot].id = 0
		t.count--
		return t.slots[slot].key, true
	}
	key, ok = t.other[id]
	delete(t.other, id)
	return key, ok
}
