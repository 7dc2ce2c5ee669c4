package live

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

// remains are entries that a structure may keep of timers that were stopped or moved: their deadlines are at + delays.
type remains struct {
	made   time.Duration // when the timers were stopped or moved
	at     time.Duration
	delays []time.Duration
}

// count returns how many entries were made from one time to another, and how many came due.
func count(list []remains, from, to time.Duration) (made, due int) {
	within := func(t time.Duration) bool { return from <= t && t < to }
	for _, l := range list {
		if within(l.made) {
			made += len(l.delays)
		}
		for _, delay := range l.delays {
			if within(l.at + delay) {
				due++
			}
		}
	}
	return made, due
}

// moving divides the resident timers of a worker into batches, which are moved in turn. A batch has random timers.
type moving struct {
	batches [][]int
	last    []remains // of each batch: its last move
	next    int
}

func newMoving(resident, batch int, far []time.Duration, r *rand.Rand) moving {
	m := moving{batches: slices.Collect(slices.Chunk(r.Perm(resident), batch))}
	m.last = slices.Repeat([]remains{{delays: far[:batch]}}, len(m.batches))
	return m
}

// mostMoved is the largest number of resident timers that are all moved again and again before they are due, as the idle
// timeouts of connections are. More timers take longer than a slice. There each timer gets its delay of minutes again, and no
// old deadline comes due.
const mostMoved = 10_000

// movesSoon reports whether the old deadlines of moved timers come due.
func (e *member) movesSoon() bool { return e.row.Resident <= mostMoved }

// moveDelay is the delay of timers that are moved: a goroutine moves each of them several times before it is due.
func (e *member) moveDelay() time.Duration {
	return e.delay() + time.Duration(e.row.Resident)*time.Microsecond
}

// times returns how long an operation runs before a slice, and in a slice of at least a length: all timers that are moved come due.
func (e *member) times(op results.Op, length time.Duration) (warmUp, slice time.Duration) {
	if op.Moves() && e.movesSoon() {
		return e.warmUp() + e.moveDelay() - e.delay(), max(length, e.moveDelay())
	}
	if op == results.OpWake {
		length = max(length, wakesASlice*time.Duration(fireSpan))
	}
	return e.warmUp(), length
}

// wakesASlice is the least number of wake-ups of a slice.
const wakesASlice = 10

// rearm moves all resident timers once, to be due soon or in minutes.
func (p *population) rearm(soon bool) error {
	for _, w := range p.workers {
		for w.moving.next = range w.moving.batches {
			var delays []time.Duration
			if soon {
				delays = w.moved
			}
			if _, err := p.moveBatch(w, w, delays); err != nil {
				return err
			}
		}
		w.moving.next = 0
	}
	return nil
}

// moveBatch moves the next batch of a worker's timers for the goroutine of w. Without delays each timer gets its own of minutes.
func (p *population) moveBatch(w, of *worker, delays []time.Duration) (int, error) {
	m := &of.moving
	timers, last, mover := m.batches[m.next], &m.last[m.next], of.resident.(Mover)
	if m.next++; m.next == len(m.batches) {
		m.next = 0
	}
	at := p.now()
	for k, timer := range timers {
		delay := of.far[timer%numbers]
		if delays != nil {
			delay = delays[k]
		}
		if mover.Reset(timer, delay) {
			continue
		}
		if err := p.late(last.at, last.delays[k]); err != nil {
			return 0, err
		}
		if p.form == results.FormSchedule { // the other forms have started again
			of.resident.Start(timer, delay)
		}
	}
	last.made = at
	w.left = append(w.left, *last)
	if delays == nil {
		delays = of.far // as far away as their own
	}
	*last = remains{at: at, delays: delays[:len(timers)]}
	return len(timers), nil
}
