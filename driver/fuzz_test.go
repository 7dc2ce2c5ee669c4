package driver_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// modelled is a timer and a model of it. No operation happens at the beginning of a tick, so the
// model knows the exact tick at which a timer fires.
type modelled struct {
	stop  func() bool
	reset func(time.Duration) bool
	moves bool // Reset only moves a pending timer, to the next tick at the earliest
	tells bool // Stop and Reset return true while a sent value is not received

	due    time.Duration // since the start; 0 if not pending
	period time.Duration // of a ticker

	want []time.Duration // since the last check

	mu    sync.Mutex
	fired []time.Duration // since the last check; guarded by mu

	c      <-chan time.Time
	unread bool          // a value is in c
	sent   time.Duration // the time of the value
}

// start makes a timer of one of the kinds.
func (m *modelled) start(d *driver.Driver, kind byte, delay time.Duration, since func() time.Duration) {
	note := func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.fired = append(m.fired, since())
	}
	switch kind % 6 {
	case 0:
		t := d.AfterFunc(delay, note)
		m.stop, m.reset = t.Stop, t.Reset
	case 1:
		t := new(driver.Timer)
		d.Init(t, note)
		t.Reset(delay)
		m.stop, m.reset = t.Stop, t.Reset
	case 2:
		h := d.Schedule(delay, note)
		m.stop, m.reset, m.moves = h.Stop, h.Reset, true
	case 3:
		c := d.NewTimer(delay)
		m.stop, m.reset, m.tells, m.c = c.Stop, c.Reset, true, c.C
	case 4:
		m.period = max(delay, 1)
		k := d.NewTicker(m.period)
		m.c = k.C
		m.stop = func() bool {
			was := m.due != 0
			k.Stop()
			return was
		}
		m.reset = func(period time.Duration) bool {
			was := m.due != 0
			m.period = max(period, 1)
			k.Reset(m.period)
			return was
		}
	case 5:
		t := d.At(time.Now().Add(delay), note)
		m.stop, m.reset = t.Stop, t.Reset
	}
}

// tickAt returns the tick at which a timer with a deadline is due.
func tickAt(at time.Duration) time.Duration { return (at + ms - 1).Truncate(ms) }

// begin sets the model of a timer that is started now.
func (m *modelled) begin(now, delay time.Duration, atOnce bool) {
	switch {
	case m.period != 0:
		m.due = now + m.period
	case delay > 0 || !atOnce:
		m.due = now + max(delay, 0)
	case m.c != nil:
		m.due, m.unread, m.sent = 0, true, now
	default:
		m.due, m.want = 0, append(m.want, now)
		synctest.Wait()
	}
}

// pass fires the due timers in the model.
func (m *modelled) pass(now time.Duration) {
	for m.due != 0 && tickAt(m.due) <= now {
		at := tickAt(m.due)
		if m.c == nil {
			m.want = append(m.want, at)
		} else if !m.unread {
			m.unread, m.sent = true, at
		}
		if m.period == 0 {
			m.due = 0
		} else {
			m.due += m.period * ((at-m.due)/m.period + 1)
		}
	}
}

// play performs operations that are encoded in bytes: the setup, and then three bytes each.
func play(t *testing.T, script []byte) {
	if len(script) < 2 {
		return
	}
	s := exact[int(script[0])%len(exact)]
	opts := append([]driver.Option{driver.StructureFunc(s.new)}, setups[int(script[1])%(len(setups)-1)].opts...)
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		since := func() time.Duration { return time.Since(start) }
		d := newDriver(t, append([]driver.Option{driver.Budget(3), driver.Tick(ms)}, append(opts, driver.Inline())...)...)
		timers := make([]*modelled, 12)
		for i := range timers {
			timers[i] = new(modelled)
		}
		time.Sleep(ms / 2)
		for script = script[2:]; len(script) >= 3; script = script[3:] {
			op, b := script[0], time.Duration(script[2])
			i := int(script[1]) % len(timers)
			m := timers[i]
			// Up to some minutes, but not to the beginning of a tick.
			delay := b * b * b * 20 * µs / (1 + time.Duration(script[1]/16)*100)
			if at := since() + delay; delay > 0 && at == at.Truncate(ms) {
				delay++
			} else if b < 10 {
				delay = 0
			}
			switch {
			case op < 40 || m.stop == nil:
				if m.stop != nil {
					m.stop()
				}
				m = new(modelled)
				timers[i] = m
				m.start(d, op, delay, since)
				m.begin(since(), delay, true)
			case op < 90:
				if got, want := m.stop(), m.due != 0 || m.tells && m.unread; got != want {
					t.Fatalf("Stop returned %t", got)
				}
				m.emptied(t)
				m.due = 0
			case op < 180:
				want := m.due != 0 || m.tells && m.unread
				if got := m.reset(delay); got != want {
					t.Fatalf("Reset returned %t", got)
				}
				m.unread = false
				if delay > 0 || m.period != 0 {
					m.emptied(t)
				}
				if want || !m.moves {
					m.begin(since(), delay, !m.moves)
				}
			case op < 200 && m.c != nil:
				m.receive(t, start)
			default:
				pass := b * b * 20 * µs
				if b >= 240 && !ticks(timers) {
					pass = (b - 239) * 10 * time.Second
				}
				if at := since() + pass; at == at.Truncate(ms) {
					pass += 7
				}
				driver.Pass(pass)
			}
			pending := 0
			for i, m := range timers {
				if m.pass(since()); m.due != 0 {
					pending++
				}
				m.check(t, i)
			}
			if d.Len() != pending {
				t.Fatalf("%d are pending, want %d", d.Len(), pending)
			}
		}
	})
}

// check compares the fired timers with the model.
func (m *modelled) check(t *testing.T, i int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Equal(m.fired, m.want) {
		t.Fatalf("timer %d has fired at %v, want %v", i, m.fired, m.want)
	}
	m.fired, m.want = m.fired[:0], m.want[:0]
}

// ticks reports whether a ticker is pending, so that no long time should pass.
func ticks(timers []*modelled) bool {
	return slices.ContainsFunc(timers, func(m *modelled) bool { return m.due != 0 && m.period != 0 })
}

// emptied checks that the channel is empty after Stop and Reset.
func (m *modelled) emptied(t *testing.T) {
	m.unread = false
	m.receive(t, time.Time{})
}

// receive receives the value in the channel, if there is one.
func (m *modelled) receive(t *testing.T, start time.Time) {
	select {
	case at := <-m.c:
		if !m.unread || at.Sub(start) != m.sent {
			t.Fatalf("received %v, want %v, %t", at.Sub(start), m.sent, m.unread)
		}
	default:
		if m.unread {
			t.Fatalf("received nothing, want %v", m.sent)
		}
	}
	m.unread = false
}

func FuzzDriver(f *testing.F) {
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range 50 {
		script := make([]byte, 2+3*rng.IntN(200))
		for j := range script {
			script[j] = byte(rng.Uint32())
		}
		script = append([]byte{byte(i), byte(i / len(exact))}, script...)
		f.Add(script)
	}
	f.Fuzz(play)
}
