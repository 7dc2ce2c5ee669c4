package driver

import (
	"runtime"
	"slices"
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
		d, _ := New(Shards(shards)) // not kept by the test
		for range shards * timersPerVisit {
			h := d.Schedule(time.Hour, func() {})
			h.Stop()
			if len(stale) == 0 || stale[len(stale)-1].ref != h.ref {
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
	for slices.ContainsFunc(stale, func(h Handle) bool {
		return !slices.ContainsFunc(refsFree(), func(r shardRef) bool { return r.number == h.ref.number })
	}) {
		runtime.Gosched() // cleanups are still to come
	}
	reused := make(map[uint32]bool)
	var drivers []*Driver
	for range len(refsFree())/shards + 1 { // names of other tests' drivers may be given first
		d := made(t, Shards(shards))
		for range shards * timersPerVisit {
			h := d.Schedule(time.Hour, func() {})
			reused[h.ref.number] = true
		}
		drivers = append(drivers, d)
	}
	n := 0
	for _, h := range stale {
		if reused[h.ref.number] {
			n++
		}
		if h.Stop() || h.Reset(time.Hour) {
			t.Fatal("a stale handle names a timer of another driver")
		}
	}
	if n == 0 {
		t.Error("no name was given a second time")
	}
	for _, d := range drivers {
		if d.Len() != shards*timersPerVisit {
			t.Errorf("%d are pending", d.Len())
		}
	}
}

func refsFree() []shardRef {
	refs.mu.Lock()
	defer refs.mu.Unlock()
	return slices.Clone(refs.free)
}

// A driver with a timer that is pending stays, whoever refers to it.
func TestADriverWithATimerStays(t *testing.T) {
	fired := make(chan struct{})
	h := func() Handle {
		d, _ := New() // not kept by the test
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

func TestShardRefsAreGivenOnce(t *testing.T) {
	var table refTable
	a, b := make([]shard, 1500), make([]shard, 1500)
	first, err := table.allocate(a)
	if err != nil {
		t.Fatal(err)
	}
	table.release(first[:1000])
	if _, err = table.allocate(b); err != nil {
		t.Fatal(err)
	}
	seen := map[shardRef]bool{{}: true}
	for _, shards := range [][]shard{a, b} {
		for i := range shards {
			if seen[shards[i].ref] {
				t.Fatalf("reference %v is given twice", shards[i].ref)
			}
			seen[shards[i].ref] = true
			if table.entry(shards[i].ref) == nil {
				t.Fatalf("reference %v has no entry", shards[i].ref)
			}
		}
	}
	if table.used != 2000 {
		t.Errorf("%d numbers are used, want 2000", table.used)
	}
	table.release([]shardRef{{number: 7, generation: 1<<32 - 1}})
	if len(table.free) != 0 {
		t.Error("a name whose generations are used up is given again")
	}
	table.used = maxRefs - 5
	if _, err := table.allocate(make([]shard, 5)); err == nil {
		t.Error("more names are given than there are")
	}
}
