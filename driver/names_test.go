package driver

import (
	"runtime"
	"testing"
	"time"
	"weak"
)

// A driver that nobody refers to goes, once no timer is pending, though its handles are
// there; its names are given to others then, whom the handles do not concern.
func TestADriverWithoutTimersGoes(t *testing.T) {
	const shards = 40
	var stale []Handle
	gone := func() weak.Pointer[Driver] {
		d, err := New(Shards(shards))
		if err != nil {
			t.Fatal(err)
		}
		for range shards * stay {
			h := d.Schedule(time.Hour, func() {})
			h.Stop()
			if len(stale) == 0 || stale[len(stale)-1].shard != h.shard {
				stale = append(stale, h)
			}
		}
		return weak.Make(d)
	}()
	if len(stale) < shards {
		t.Fatalf("%d shards", len(stale))
	}
	for i := 0; gone.Value() != nil; i++ {
		if i > 100 {
			t.Fatal("the driver does not go")
		}
		runtime.GC()
	}
	for len(namesFree()) < shards {
		runtime.Gosched() // cleanups are still to come
	}
	d, err := New(Shards(shards))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	reused := make(map[uint32]bool)
	for range shards * stay {
		h := d.Schedule(time.Hour, func() {})
		reused[h.shard.number] = true
	}
	n := 0
	for _, h := range stale {
		if reused[h.shard.number] {
			n++
		}
		if h.Stop() || h.Reset(time.Hour) {
			t.Fatal("a stale handle names a timer of another driver")
		}
	}
	if n == 0 {
		t.Error("no name was given a second time")
	}
	if d.Len() != shards*stay {
		t.Errorf("%d are pending", d.Len())
	}
}

func namesFree() []name {
	names.mu.Lock()
	defer names.mu.Unlock()
	return names.free
}

// A driver with a timer that is pending stays, whoever refers to it.
func TestADriverWithATimerStays(t *testing.T) {
	fired := make(chan struct{})
	h := func() Handle {
		d, err := New()
		if err != nil {
			t.Fatal(err)
		}
		d.Schedule(50*time.Millisecond, func() { close(fired) })
		return d.Schedule(time.Hour, func() {})
	}()
	for range 5 {
		runtime.GC()
	}
	<-fired
	if !h.Stop() {
		t.Error("the timer is not pending")
	}
}

func TestNamesAreGivenOnce(t *testing.T) {
	var table nameTable
	a, b := make([]shard, 1500), make([]shard, 1500)
	first, err := table.give(a)
	if err != nil {
		t.Fatal(err)
	}
	table.take(first[:1000])
	if _, err = table.give(b); err != nil {
		t.Fatal(err)
	}
	seen := map[name]bool{{}: true}
	for _, shards := range [][]shard{a, b} {
		for i := range shards {
			if seen[shards[i].name] {
				t.Fatalf("name %v is given twice", shards[i].name)
			}
			seen[shards[i].name] = true
			if table.entry(shards[i].name) == nil {
				t.Fatalf("name %v has no entry", shards[i].name)
			}
		}
	}
	if table.used != 2000 {
		t.Errorf("%d numbers are used, want 2000", table.used)
	}
	table.take([]name{{number: 7, generation: 1<<32 - 1}})
	if len(table.free) != 0 {
		t.Error("a name whose generations are used up is given again")
	}
	table.used = maxNames - 5
	if _, err := table.give(make([]shard, 5)); err == nil {
		t.Error("more names are given than there are")
	}
}
