package driver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// A timer without a delay does not wait for the next tick, however it is started.
func TestWhatIsDueAtOnceFiresAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		time.Sleep(300 * µs)
		l := newLog()
		var field driver.Timer
		d.Init(&field, l.Note("field"))
		moved, stopped := d.AfterFunc(time.Hour, l.Note("moved")), d.AfterFunc(time.Hour, l.Note("stopped"))
		stopped.Stop()
		c := d.NewTimer(time.Hour)
		wall := d.At(time.Now().Add(time.Hour), l.Note("wall moved"))

		a, h := d.AfterFunc(0, l.Note("timer")), d.Schedule(-time.Second, l.Note("handle"))
		if field.Reset(0) || !moved.Reset(0) || stopped.Reset(-1) || !wall.Reset(0) || !c.Reset(0) {
			t.Error("Reset does not tell what was pending")
		}
		synctest.Wait()
		if a.Stop() || h.Stop() || h.Reset(time.Second) || moved.Stop() || h == (driver.Handle{}) {
			t.Error("pending though it has fired")
		}
		d.At(time.Now(), l.Note("wall"))
		start := time.Now()
		mustReceive(t, c.C, start)
		mustReceive(t, d.After(0), start)
		l.Want(t, "0s timer", "0s handle", "0s field", "0s moved", "0s stopped", "0s wall", "0s wall moved")
		if s := d.Stats(); time.Since(start) != 0 || d.Len() != 0 || s.Fired != 9 || s.Lateness.Count() != 9 || s.Lateness.Max() != 0 {
			t.Errorf("after %v: %+v, %v", time.Since(start), s, s.Lateness)
		}
		if c = d.NewTimer(0); !c.Stop() || c.Stop() {
			t.Error("Stop of a timer whose value is not received")
		}
		mustBeEmpty(t, c.C)
	})
}
