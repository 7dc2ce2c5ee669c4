package durable

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// setZone makes a time zone so many hours ahead of UTC, for ever.
func setZone(t *testing.T, name string, hours int) {
	t.Helper()
	setForward(t, name, time.Unix(0, 0), (hours-1)*3600)
}

// setForward makes a zone whose clocks go forward by an hour at a time, from an offset to UTC in seconds.
func setForward(t *testing.T, name string, at time.Time, offset int) {
	t.Helper()
	data := append([]byte("TZif"), make([]byte, 16)...)
	for _, n := range []uint32{0, 0, 0, 1, 2, 4, uint32(at.Unix())} { // one change, two offsets, four letters of their names
		data = binary.BigEndian.AppendUint32(data, n)
	}
	data = append(data, 1)
	for i := range 2 {
		data = append(binary.BigEndian.AppendUint32(data, uint32(int32(offset+i*3600))), byte(i), byte(2*i))
	}
	data = append(data, 'A', 0, 'B', 0)
	path := filepath.Join(os.Getenv("ZONEINFO"), name)
	fatalIf(t, os.MkdirAll(filepath.Dir(path), 0o755))
	fatalIf(t, os.WriteFile(path+".new", data, 0o600))
	fatalIf(t, os.Rename(path+".new", path))
}

// The rules of a time zone change after a run was stored. The run fires once on that day, at the time of the new rules.
func TestZoneRulesChange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		was, is int // hours ahead of UTC
		horizon time.Duration
		late    bool // it is stored while the worker serves
	}{
		{"later", 2, 1, time.Hour, false},
		{"earlier", 1, 2, 2 * time.Hour, false},
		{"far and earlier", 1, 2, time.Second, false},
		{"far and later", 1, -3, time.Second, false},
		{"later, stored elsewhere", 2, 1, time.Hour, true},
		{"earlier, stored elsewhere", 1, 2, time.Second, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var clock shifted
			c := open(t, start(t), Config{Partitions: 1, Now: clock.now, Horizon: test.horizon})
			zone := fmt.Sprintf("Test/%d", time.Now().UnixNano())
			setZone(t, zone, test.was)
			begin := time.Now()
			daily := begin.UTC().Add(3 * time.Hour).Truncate(time.Second) // as the clocks of the zone show it
			spec := fmt.Sprintf("CRON_TZ=%s %d %d %d * * *", zone, daily.Second(), daily.Minute(), daily.Hour())
			old := daily.Add(-time.Duration(test.was) * time.Hour)
			right := daily.Add(-time.Duration(test.is) * time.Hour)
			moved := begin.Add(30 * time.Minute).Round(0) // not a run
			for _, key := range []string{"job", "moved"} {
				must(t, func() error { return c.Every(t.Context(), key, spec, nil) })
			}
			must(t, func() error { _, err := c.Reschedule(t.Context(), "moved", moved); return err })
			setZone(t, zone, test.is)
			fired := serve(t, c)
			if test.late {
				waitFor(t, func() bool { return c.Stats().Partitions == 1 })
				put(t, c, Timer{Key: "job", Deadline: old, Cron: spec})
			}
			waitFor(t, func() bool { return mustGet(t, c, "job").Deadline.Equal(right) })
			next := func(key string, want time.Time) {
				t.Helper()
				if f := receive(t, fired); f.Key != key || !f.Deadline.Equal(want) {
					t.Errorf("%+v fires, want %q with the deadline %v", f, key, want)
				}
			}
			clock.set(moved.Sub(begin) + time.Minute)
			next("moved", moved)
			mustCancel(t, c, "moved")
			clock.set(max(old.Sub(begin), right.Sub(begin)) + time.Minute)
			next("job", right)
			probe := clock.now().Round(0)
			mustSet(t, c, Timer{Key: "probe", Deadline: probe})
			next("probe", probe)
			waitFor(t, func() bool { return mustGet(t, c, "job").Deadline.Equal(right.Add(24 * time.Hour)) })
		})
	}
}

// A worker notices new rules while it holds the timer in memory.
func TestZoneRulesChangeInMemory(t *testing.T) {
	const zone = "Test/Memory"
	setZone(t, zone, 1)
	synctest.Test(t, func(t *testing.T) {
		a := newAlone(t)
		run := time.Now().Add(time.Hour) // midnight in UTC
		spec := fmt.Sprintf("CRON_TZ=%s 0 %d * * *", zone, run.UTC().Hour()+1)
		a.set(Timer{Key: "key", Deadline: run, Cron: spec})
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		if len(a.sent) > 0 {
			t.Error("a run that is right is stored again")
		}
		setZone(t, zone, 0)
		if timer, rec := a.next(); timer.Key != "key" || !timer.Deadline.Equal(run.Add(time.Hour)) || time.Now().After(run) {
			t.Errorf("%+v is written at %v, and the deadline is %v", rec, time.Now(), timer.Deadline)
		}
	})
}
