package durable

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// world is several workers that know the same signs of life.
type world struct {
	members
	now time.Time
}

func newWorld() *world {
	return &world{members{lease: time.Second, signs: make(map[string]sign)}, time.Unix(10_000, 0)}
}

func (w *world) sign(id string, serves ...int) {
	w.signs[id] = sign{Serves: serves, at: w.now}
	w.last = w.now
}

func (w *world) wants(self string, partition int, serves bool) bool {
	w.self = self
	return w.members.wants(partition, serves)
}

func TestShare(t *testing.T) {
	const partitions = 64
	w := newWorld()
	ids := []string{"a", "b", "c"}
	for _, id := range ids {
		w.sign(id)
	}
	counts := make(map[string]int)
	owner := make(map[int]string)
	for p := range partitions {
		for _, id := range ids {
			if w.wants(id, p, false) {
				if other, ok := owner[p]; ok {
					t.Errorf("partition %d is wanted by %s and %s", p, other, id)
				}
				owner[p] = id
				counts[id]++
			}
		}
		if owner[p] == "" {
			t.Errorf("partition %d is wanted by nobody", p)
		}
	}
	for _, id := range ids {
		if counts[id] < partitions/6 {
			t.Errorf("%s has %d of %d partitions", id, counts[id], partitions)
		}
	}

	// c dies: only its partitions change hands, and not before a lease has passed.
	for _, after := range []time.Duration{w.lease, w.lease + 1} {
		w.now = w.signs["c"].at.Add(after)
		w.sign("a")
		w.sign("b")
		for p := range partitions {
			a, b := w.wants("a", p, false), w.wants("b", p, false)
			switch {
			case owner[p] != "c" && (a != (owner[p] == "a") || b != (owner[p] == "b")):
				t.Errorf("after %v: partition %d of %s has moved", after, p, owner[p])
			case owner[p] == "c" && (a || b) != (after > w.lease):
				t.Errorf("after %v: partition %d of c is wanted: %v", after, p, a || b)
			}
		}
	}
}

// A worker keeps serving a partition until the newly chosen worker serves it.
func TestHandOver(t *testing.T) {
	w := newWorld()
	w.sign("a", 0)
	newcomer := ""
	for i := range 100 {
		if id := fmt.Sprint("n", i); weight(id, 0) > weight("a", 0) {
			newcomer = id
			break
		}
	}
	w.sign(newcomer)
	if !w.wants(newcomer, 0, false) || !w.wants("a", 0, true) || w.wants("a", 0, false) {
		t.Error("before the newcomer serves: want it, and a if that serves")
	}
	w.sign(newcomer, 0)
	if !w.wants(newcomer, 0, true) || w.wants("a", 0, true) {
		t.Error("once the newcomer serves: want only it")
	}
}

// The server's clock is set back, so earlier signs of life are in the future. A worker that died
// before does not keep its partitions.
func TestServerClockSetBack(t *testing.T) {
	w := newWorld()
	w.sign("dead", 0, 1, 2, 3, 4, 5, 6, 7)
	w.now = w.now.Add(-time.Hour)
	w.sign("a")
	for p := range 8 {
		if !w.wants("a", p, false) {
			t.Errorf("partition %d waits for a worker that is dead", p)
		}
	}
}

// A worker that follows the others again, after an error, decides nothing before it has read its
// own sign of life: it would give up all its partitions.
func TestFollowsAgain(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{})
	for _, id := range []string{"a", "b", "self"} {
		_, err := c.members.Put(t.Context(), id, []byte(`{"serves":[],"lease":1000000000}`))
		fatalIf(t, err)
	}
	m := &members{self: "self", lease: time.Minute, signs: make(map[string]sign)}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := newWorker(c).followMembers(ctx, m, func() {
		if calls++; len(m.signs) != 3 {
			t.Errorf("call %d knows %v", calls, m.signs)
		}
		cancel()
	})
	if err != nil || calls == 0 {
		t.Errorf("follow = %v, after %d calls", err, calls)
	}
}
