package workload

import (
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// ResetEarlier models deadlines that are moved to an earlier time and back. At regular intervals a goroutine moves
// its timer to an early deadline and immediately to a late one. Nothing fires. n timers are n goroutines, whose turns
// are spread evenly over the interval.
type ResetEarlier struct {
	Every Duration `toml:"every" comment:"between two turns of a goroutine"`
	Early Duration `toml:"early" comment:"the deadline it sets first"`
	Late  Duration `toml:"late" comment:"the deadline it sets at once after that"`
}

// Kind returns the kind of model.
func (*ResetEarlier) Kind() Kind { return Kind{Name: "reset-earlier", Unit: script.PerReschedule} }

// New returns the process with n goroutines.
func (m *ResetEarlier) New(n int, tick time.Duration) script.Process {
	return &resets{
		eventLoop:  newEventLoop(n, 1),
		goroutines: n,
		every:      m.Every.ticks(tick),
		early:      m.Early.ticks(tick),
		late:       m.Late.ticks(tick),
	}
}

type resets struct {
	eventLoop
	goroutines         int
	every, early, late structures.Tick
}

// The kinds of events: the timer of a goroutine fires, which means nothing, or a goroutine has its turn.
const (
	resetTimer = iota
	resetTurn
)

func (p *resets) Fill(w *script.Writer, _ *script.Rand) {
	for i := range p.goroutines {
		p.set(w, w.Now()+p.late, of(i, resetTimer))
	}
	p.planTurn(0)
}

// planTurn plans a turn, counted from 0. Every goroutine has one turn in each interval.
func (p *resets) planTurn(i int) {
	n := p.goroutines
	at := structures.Tick(i/n)*p.every + structures.Tick(i%n)*p.every/structures.Tick(n) + 1
	p.plan(at, event{int32(i % n), resetTurn, structures.Tick(i)})
}

func (p *resets) Step(w *script.Writer, _ *script.Rand) {
	p.nextTick(w, func(e event) {
		if e.kind == resetTurn {
			timer := of(int(e.owner), resetTimer)
			p.set(w, w.Now()+p.early, timer)
			p.set(w, w.Now()+p.late, timer)
			p.planTurn(int(e.tick) + 1)
		}
	})
}
