package tracestat

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
)

// wakeupsOf returns the wake-ups for a whole program.
func wakeupsOf(s *Summary) (n [2]float64) {
	for _, p := range s.Sites {
		for way, of := range p.Wakeups {
			n[way] += of
		}
	}
	return n
}

// The wake-ups are counted by hand, with deadlines as they are and rounded up.
func TestWakeupsAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		run           func(*program)
		want, rounded [2]float64
	}{
		"one timer":        {func(p *program) { p.set(100) }, [2]float64{1, 1}, [2]float64{1, 1}},
		"one tick":         {func(p *program) { p.set(150); p.set(150); p.set(170) }, [2]float64{2, 2}, [2]float64{1, 1}},
		"stopped":          {func(p *program) { p.stop(p.set(450)) }, [2]float64{}, [2]float64{}},
		"not due":          {func(p *program) { p.set(1000) }, [2]float64{}, [2]float64{}},
		"moved to later":   {func(p *program) { timer := p.set(100); p.now = 50; p.reset(timer, 100) }, [2]float64{2, 2}, [2]float64{2, 2}},
		"moved to earlier": {func(p *program) { timer := p.set(100); p.now = 20; p.reset(timer, 10) }, [2]float64{1, 1}, [2]float64{1, 1}},
		"moved again and again": {func(p *program) { // Go also wakes up at the first deadline that the timer was moved to
			timer := p.set(100)
			for p.now = 10; p.now < 200; p.now += 10 {
				p.reset(timer, 100)
			}
		}, [2]float64{5, 4}, [2]float64{3, 3}}, // at 100, 110, 200, 210 and 290; lazily at 100, 190, 280 and 290
		"moved and stopped": {func(p *program) {
			timer := p.set(100)
			p.now = 50
			p.reset(timer, 100)
			p.now = 60
			p.stop(timer)
		}, [2]float64{}, [2]float64{}},
		"moved, at the tick of another": {func(p *program) {
			timer := p.set(100)
			p.set(100)
			p.now = 50
			p.reset(timer, 100)
		}, [2]float64{2, 2}, [2]float64{2, 2}},
	} {
		p := newProgram(t)
		c.run(p)
		path, s := p.end(400)
		fail.UnlessSame(t, name, wakeupsOf(s), c.want)
		s, err := Rounded(path, 100*time.Millisecond)
		if got := wakeupsOf(s); err != nil || got != c.rounded {
			t.Errorf("%s, rounded: %v wake-ups, want %v, error %v", name, got, c.rounded, err)
		}
	}
}

// Timers of two places that are due at one tick share its wake-up. The most that are pending count without those that the driver cannot hold.
func TestPlacesShareWakeups(t *testing.T) {
	p := newProgram(t)
	p.set(100)
	p.place = trace.Site{Place: "main.f main.go:9", Form: trace.DeadlineForm}
	p.set(100)
	p.set(200)
	_, s := p.end(400)
	if len(s.Sites) != 2 || s.Sites[0].Wakeups != [2]float64{1.5, 1.5} || s.Sites[1].Wakeups != [2]float64{0.5, 0.5} || s.Functions != 1 || s.Channels != 0 {
		t.Errorf("%+v", s)
	}
}

// Channels that nobody waits for when they are due are not in the heap of Go, and wake nobody. The driver does not know.
func TestUnreadChannelsWakeNobody(t *testing.T) {
	p := newProgram(t)
	p.place.Form = trace.ChannelForm
	for i := 0; p.now < 1000; p.now += 10 {
		p.set(1)
		p.now++
		p.waits = i%4 == 0
		p.fire()
		p.now--
		i++
	}
	if _, s := p.end(1100); wakeupsOf(s) != [2]float64{25, 100} || s.Channels != 1 {
		t.Errorf("%+v, want 25 and 100 wake-ups", s.Sites)
	}
}

func TestTicksAreRoundedUp(t *testing.T) {
	w := newWakes(100)
	for at, want := range map[structures.Tick]structures.Tick{
		200: 200, 201: 300, 299: 300, math.MaxInt64 - 1: math.MaxInt64 - 1, math.MaxInt64 - 99: math.MaxInt64 - 99, math.MaxInt64 - 108: math.MaxInt64 - 107,
	} {
		fail.UnlessSame(t, fmt.Sprint(at), w.rounded(at), want)
	}
}
