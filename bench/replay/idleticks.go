package replay

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
)

// IdleTicks counts the ticks on which nothing fires, for each shape of deadlines at one N. It measures what the structures do on
// them.
type IdleTicks struct {
	N     int
	Ticks int
	Seed  uint64
}

// idleTickNames are the structures that the analysis measures: the usual ones, and one for each other kind of work in vain.
var idleTickNames = append(entry.Classics[:], "auto", "hwheel-list", "quadheap-lazy", scanned)

// scanned is the structure whose comparisons are a scan of all its timers. Those of an ordered structure find a place.
const scanned = "list"

// IdleTickEntries returns the structures that the analysis measures, of those given.
func IdleTickEntries(all []entry.Entry) []entry.Entry {
	return slices.DeleteFunc(slices.Clone(all), func(e entry.Entry) bool { return !slices.Contains(idleTickNames, e.Name) })
}

// Name implements [Analysis].
func (c IdleTicks) Name() string { return fmt.Sprintf("idle ticks, n %d", c.N) }

// Seconds implements [Analysis]. A replay takes about 15 ns a tick and 200 ns a timer.
func (c IdleTicks) Seconds(structures int) float64 {
	timers := float64(c.N) + 2*float64(c.N)*float64(c.Ticks)/meanDelay
	return float64(structures) * (3 + timedPasses) * (15e-9*float64(c.Ticks) + 200e-9*timers)
}

const meanDelay = 30_000 // ticks, of all shapes

type shape struct {
	results.Shape
	workload.Workload
}

// shapes are the workloads of the shapes. All have a tick of 1 ms.
func shapes() []shape {
	round, _ := workload.Find("aligned")
	round.Tick = time.Millisecond
	half, _ := workload.Find("grid-uniform-50")
	return []shape{
		{results.Uniform, workload.HoldWith("uniform")}, {results.Clustered, workload.HoldWith("clustered")},
		{results.RoundTimes, round}, {results.HalfCancelled, half},
	}
}

// Run implements [Analysis]. Structures take part with uniform delays.
func (c IdleTicks) Run(ctx context.Context, entries []entry.Entry, out *results.Run) error {
	for _, s := range shapes() {
		blocks, end := blocksUntil(c.Ticks, s.Script(c.N, c.Seed), 1+c.N/50) // of 600 ticks at most, or one timer
		found := count(s.Shape, blocks)
		found.N, found.Ticks = c.N, uint64(end)
		found.Idle = found.Ticks - found.Idle
		if s.Shape == results.Uniform || s.Shape == results.HalfCancelled {
			where := fmt.Sprintf("%s, %s, seed %d", c.Name(), s.Shape, c.Seed)
			if err := each(ctx, entries, where, &found.Structures, out, func(e entry.Entry) (results.IdleTickOf, error) {
				return idleTickOf(e, blocks, s.Shape == results.Uniform)
			}); err != nil {
				return err
			}
		}
		out.IdleTicks = append(out.IdleTicks, found)
	}
	return nil
}

// count counts the timers that fire and the rounds of a flat wheel. Idle is the number of ticks on which something fires.
func count(shape results.Shape, blocks []*script.Block) results.IdleTicks {
	out := results.IdleTicks{Shape: shape, Fired: blocks[len(blocks)-1].Want.Fired}
	var flat flatWheel
	for _, b := range blocks {
		for kind, op := range b.All() {
			if kind == script.KindFire && op.At > flat.now {
				out.Idle++
			}
			flat.step(kind, op)
		}
	}
	out.FlatRounds = flat.end()
	return out
}

// flatWheel counts the rounds of a classical flat wheel of flatSlots slots, a tick for each. At each tick it visits the timers of
// a slot, and those that are due in a later round are touched in vain. Package wheel keeps its next deadline and has no such rounds.
type flatWheel struct {
	now    structures.Tick
	timers []flatTimer // by key
	rounds uint64
}

type flatTimer struct{ from, deadline structures.Tick }

const flatSlots = 1000

func (w *flatWheel) step(kind script.Kind, op script.Op) {
	switch kind {
	case script.KindFire, script.KindWake:
		w.now = max(w.now, op.At)
	case script.KindSchedule, script.KindReschedule:
		if need := int(op.Key) + 1 - len(w.timers); need > 0 {
			w.timers = append(w.timers, make([]flatTimer, need)...)
		}
		w.leave(op.Key)
		w.timers[op.Key] = flatTimer{w.now, max(op.At, w.now+1)}
	case script.KindCancel:
		w.leave(op.Key)
	}
}

// leave counts the rounds of a timer up to now. It no longer is in the wheel.
func (w *flatWheel) leave(key uint32) {
	t := w.timers[key]
	w.timers[key] = flatTimer{}
	if t.deadline == 0 {
		return
	}
	ahead := func(at structures.Tick) structures.Tick { return max(0, t.deadline-at-1) / flatSlots }
	w.rounds += uint64(ahead(t.from) - ahead(w.now))
}

func (w *flatWheel) end() uint64 {
	for key := range w.timers {
		w.leave(uint32(key))
	}
	return w.rounds
}

// idleTickOf measures a structure: the time of an idle tick and the wake-ups of a tickless driver with the hold model, else
// the work of a ticking driver.
func idleTickOf(e entry.Entry, blocks []*script.Block, hold bool) (results.IdleTickOf, error) {
	out, driver := results.IdleTickOf{Structure: e.Name}, results.Ticking
	if hold {
		driver = results.Tickless
	}
	w := newDriven(e, driver)
	if err := w.replay(blocks); err != nil {
		return out, err
	}
	work := w.work()
	switch {
	case hold:
		out.Wakeups = w.idle.Total()
		if e.Exact() && e.Name != scanned {
			out.NS = idleTickNS(e, blocks)
		}
	case e.Name == scanned:
		out.Vain = work.Moved + work.Dropped + work.Comparisons
	default:
		out.Vain = work.Moved + work.Dropped
	}
	return out, nil
}

// idleTickNS returns the mean time of a tick on which nothing fires. Each stretch of idle ticks counts with the shortest time of
// timedPasses passes, less the time of the reading of the clock.
func idleTickNS(e entry.Entry, blocks []*script.Block) float64 {
	var shortest stretches
	for range timedPasses {
		s := newByID(e.New())
		s.reserve(blocks[len(blocks)-1])
		var pass stretches
		if s.drive(blocks, true, &pass); shortest.took == nil {
			shortest = pass
		}
		for i, d := range pass.took {
			shortest.took[i] = min(shortest.took[i], d)
		}
	}
	clock := time.Duration(1 << 62)
	for range 1000 {
		start := time.Now()
		clock = min(clock, time.Since(start))
	}
	sum := time.Duration(0)
	for _, d := range shortest.took {
		sum += max(0, d-clock)
	}
	return float64(sum) / float64(max(1, shortest.ticks))
}
