package hwheel_test

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
)

// A record is not used again after its last generation, wherever its last timer
// leaves. So no ID is issued twice.
func TestExhaustedRecordsAreNotUsedAgain(t *testing.T) {
	t.Parallel()
	const delay = 100
	cancel := func(w *hwheel.Wheel[int], ids []structures.ID) {
		for _, id := range ids {
			w.Cancel(id)
		}
	}
	for name, leave := range map[string]func(w *hwheel.Wheel[int], ids []structures.ID, now structures.Tick){
		"cancelled in the arrival buffer": func(w *hwheel.Wheel[int], ids []structures.ID, _ structures.Tick) { cancel(w, ids) },
		"cancelled in a slot": func(w *hwheel.Wheel[int], ids []structures.ID, _ structures.Tick) {
			w.Next()
			cancel(w, ids)
		},
		"cancelled while staged": func(w *hwheel.Wheel[int], ids []structures.ID, now structures.Tick) {
			w.Pop(now + delay)
			cancel(w, ids)
		},
		"moved and cancelled": func(w *hwheel.Wheel[int], ids []structures.ID, now structures.Tick) {
			w.Next()
			w.Reschedule(ids[0], now+1)
			w.Reschedule(ids[1], now+2*delay)
			cancel(w, ids)
		},
		"fired": func(w *hwheel.Wheel[int], _ []structures.ID, now structures.Tick) { popAll(w, now+delay) },
	} {
		t.Run(name, func(t *testing.T) {
			w := hwheel.New[int]()
			used := w.UseUp(3)
			exhausted := make(map[uint32]bool)
			issued := make(map[structures.ID]bool)
			for now := structures.Tick(0); now < 100*delay; now += delay {
				popAll(w, now)
				ids := make([]structures.ID, 40)
				for i := range ids {
					id := w.Schedule(now+delay, 0)
					index, generation := uint32(id), uint32(id>>32)
					if issued[id] || exhausted[index] || !used[index] && generation > 1000 {
						t.Fatalf("ID %#x was issued", id)
					}
					issued[id] = true
					exhausted[index] = generation == math.MaxUint32
					ids[i] = id
				}
				leave(w, ids, now)
				for _, id := range ids {
					if w.Cancel(id) || w.Reschedule(id, now+1) || w.Cancel(id+1<<32) || w.Cancel(id&math.MaxUint32) {
						t.Fatalf("ID %#x is accepted after its timer has left", id)
					}
				}
				mustBeSound(t, w)
			}
			for index := range used {
				if !exhausted[index] {
					t.Errorf("record %d was not used to its end", index)
				}
			}
		})
	}
}

// Dead entries that pass for live ones do no harm: the record alone decides when a
// timer fires.
func TestDeadEntriesThatPassForLiveOnes(t *testing.T) {
	forShapes(t, func(t *testing.T, s shape) {
		k := newTracker(t, s)
		for range longtest.Scale(t, 1000, 2000, 20_000) {
			deadline := k.clock + k.delay(14)
			switch k.IntN(6) {
			case 0, 1:
				if len(k.ids) < 40 {
					k.schedule(deadline)
				}
			case 2, 3:
				if len(k.ids) > 0 {
					id := k.any()
					if deadline < k.pending[id] {
						k.w.RepeatVersion(id)
					}
					k.reschedule(id, deadline)
				}
			case 4:
				if len(k.ids) > 0 {
					i := k.IntN(len(k.ids))
					k.w.RepeatVersion(k.ids[i])
					k.cancel(i)
				}
			case 5:
				k.pop(k.clock+structures.Tick(k.IntN(9)), math.MaxInt)
			}
			if k.IntN(4) == 0 {
				k.w.Next()
			}
			if s != shapes[0] || k.IntN(16) == 0 {
				k.mustBeSound()
			}
		}
		k.drain()
	})
}
