package driver

import (
	"runtime"
	"testing"
	"time"
	"weak"
)

// A driver without references is collected when no timer is pending, even if its handles still
// exist. They are then stale.
func TestADriverWithoutTimersGoes(t *testing.T) {
	const shards = 40
	var stale []Handle
	gone := func() weak.Pointer[Driver] {
		d, _ := New(Shards(shards)) // not kept by the test
		for range shards * timersPerGroup {
			h := d.Schedule(time.Hour, func() {})
			defer h.Stop()
			if len(stale) == 0 || stale[len(stale)-1].ref != h.ref {
				stale = append(stale, h)
			}
		}
		return weak.Make(d)
	}()
	Collect(t, "the driver", func() bool { return gone.Value() == nil })
	for _, h := range stale {
		if h.Stop() || h.Reset(time.Hour) {
			t.Fatal("a stale handle names a timer")
		}
	}
}

// A driver with a pending timer stays in memory without references.
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

// The number of a shard is used again after the shard is collected, with another generation, so
// that no earlier handle refers to the new shard.
func TestShardRefsAreGivenOnce(t *testing.T) {
	var table refTable
	shards := make([][]shard, 2)
	seen := map[shardRef]bool{{}: true}
	for i := range shards {
		shards[i] = make([]shard, 1500)
		given, err := table.allocate(shards[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range given {
			if seen[ref] || table.entry(ref) == nil {
				t.Fatalf("reference %v is given twice, or has no entry", ref)
			}
			seen[ref] = true
		}
		table.release(given[:1000])
	}
	if table.used != 2000 {
		t.Errorf("%d numbers are used, want 2000", table.used)
	}
	free := len(table.free)
	table.release([]shardRef{{number: 7, generation: 1<<32 - 1}})
	if len(table.free) != free {
		t.Error("a name whose generations are used up is given again")
	}
	table.free, table.used = nil, maxRefs-5
	if _, err := table.allocate(make([]shard, 5)); err == nil {
		t.Error("more names are given than there are")
	}
}
