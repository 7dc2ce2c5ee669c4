package driver

import "time"

// ChanTimer sends the time on a channel when it fires. Make it with NewTimer. It does
// what a Timer of package time does since Go 1.23: after Stop or Reset no value of before
// is received. Unlike there, C has room for one value, so that its length may be 1; and a
// timer that is pending is not garbage. The methods of the zero ChanTimer return false
// and do nothing.
type ChanTimer struct {
	C <-chan time.Time
	c chan time.Time
	internal
}

// NewTimer starts a timer that sends the time on its channel once delay has passed.
func (d *Driver) NewTimer(delay time.Duration) *ChanTimer {
	c := make(chan time.Time, 1)
	t := &ChanTimer{C: c, c: c}
	t.due = t.send
	now := d.clock.soon()
	t.t.sh = d.lock()
	t.t.sh.arm(&t.t, now, d.clock.deadline(now, delay), internally)
	return t
}

// After returns the channel of a new timer. It is NewTimer(delay).C.
func (d *Driver) After(delay time.Duration) <-chan time.Time { return d.NewTimer(delay).C }

// send is called by the pass, with the shard locked.
func (t *ChanTimer) send() {
	t.t.when.Store(idle)
	t.t.sh.fired++
	t.c <- time.Now() // there is room: Stop and Reset have emptied the channel
}

// Stop keeps the timer from firing. It returns true if it does so, or if the value that
// was sent has not been received and is not going to be; false if the timer was stopped,
// or its value received, before.
func (t *ChanTimer) Stop() bool {
	return t.t.sh != nil && t.t.sh.stop(&t.t, t.c)
}

// Reset makes the timer fire once delay has passed from now. It returns what Stop would
// have returned.
func (t *ChanTimer) Reset(delay time.Duration) bool {
	sh := t.t.sh
	if sh == nil {
		return false
	}
	now := sh.clock.soon()
	deadline := sh.clock.deadline(now, delay)
	return sh.restart(&t.t, now, deadline, internally, t.c)
}

// drain takes a value out of a channel, if there is one and there is a channel. It
// reports whether it did.
func drain(c chan time.Time) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
