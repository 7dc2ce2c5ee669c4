package replay

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
)

// IdleTicks counts idle ticks for each shape of deadlines at one N. It measures the work and the time of the structures on these
// ticks, and the lateness of coarse structures.
type IdleTicks struct {
	N     int
	Ticks int
	Seed  uint64
}

// scanned is the structure that compares all its timers at each tick. An ordered structure compares to find a place.
const scanned = "list"

// timed are the structures of which the time of an idle tick is measured.
var timed = append(entry.Classics[:], "auto")

// Name implements [Analysis].
func (c IdleTicks) Name() string { return fmt.Sprintf("idle ticks, n %d", c.N) }

// timedPasses is the number of timed passes of a script. Interrupts only lengthen a stretch of ticks, so its shortest time counts.
const timedPasses = 3

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
		found, firing := count(blocks)
		found.Shape, found.N, found.Ticks, found.Idle = s.Shape, c.N, uint64(end), uint64(end)-firing
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

// blocksUntil writes blocks of at least size operations until a tick, and returns the tick that they reach.
func blocksUntil(tick int, s *script.Script, size int) ([]*script.Block, structures.Tick) {
	blocks := []*script.Block{s.Fill()}
	for s.Now() < structures.Tick(tick) {
		blocks = append(blocks, s.Next(size, nil))
	}
	return blocks, s.Now()
}

// count counts the timers that fire, the rounds of a flat wheel, and the ticks on which timers fire.
func count(blocks []*script.Block) (out results.IdleTicks, firing uint64) {
	out.Fired = blocks[len(blocks)-1].Want.Fired
	var flat flatWheel
	for _, b := range blocks {
		for kind, op := range b.All() {
			if kind == script.KindFire && op.At > flat.now {
				firing++
			}
			flat.step(kind, op)
		}
	}
	out.FlatRounds = flat.end()
	return out, firing
}

// flatWheel counts the rounds of a classical flat wheel of flatSlots slots, a tick for each. At each tick it visits the timers of
// a slot, and touches in vain the timers of later rounds. Package wheel keeps its next deadline and has no such rounds.
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

// idleTickOf measures a structure: the time of an idle tick, the wake-ups of a tickless driver and the lateness with the hold model,
// else the work of a ticking driver.
func idleTickOf(e entry.Entry, blocks []*script.Block, hold bool) (results.IdleTickOf, error) {
	w := newDriven(e, !hold)
	if err := w.replay(blocks); err != nil {
		return results.IdleTickOf{}, err
	}
	if hold {
		out := w.of
		if slices.Contains(timed, e.Name) {
			out.NS = idleTickNS(e, blocks)
		}
		out.Lateness = w.lateness()
		return out, nil
	}
	work := w.work()
	out := results.IdleTickOf{Structure: e.Name, Vain: work.Moved + work.Dropped}
	if e.Name == scanned {
		out.Vain += work.Comparisons
	}
	return out, nil
}

// driven replays a script with a driver and counts the idle wake-ups. The script says when timers are scheduled and
// cancelled. The driver says when the structure wakes up: at each tick, or at the tick that Next returns.
type driven struct {
	*walker
	ticking bool
	coarse  bool
	work    func() structures.Work
	clock   structures.Tick
	of      results.IdleTickOf

	fired       uint64
	late, share []float64 // lateness of a coarse structure's timers, in ticks and as a share of the delay
}

func newDriven(e entry.Entry, ticking bool) *driven {
	s := e.New()
	w := &driven{walker: walkerOn(&replayer{timers: newByID(s)}, e.MaxLate), ticking: ticking, coarse: !e.Exact()}
	w.of.Structure = e.Name
	w.work = func() structures.Work { return structures.Work{} }
	if s, ok := s.(interface{ Work() structures.Work }); ok {
		w.work = s.Work
	}
	w.Fired = func(at structures.Tick, t structures.Timer[uint64], delay structures.Tick) {
		w.fired++
		if w.coarse {
			late := float64(at - t.Deadline)
			w.late, w.share = append(w.late, late), append(w.share, late/float64(delay))
		}
	}
	return w
}

func (w *driven) replay(blocks []*script.Block) error {
	for _, b := range blocks {
		w.Replay(b, w.advance)
	}
	if err := w.Check(blocks[len(blocks)-1]); err != nil {
		return fmt.Errorf("under a driver that is ticking: %t: %w", w.ticking, err)
	}
	return nil
}

func (w *driven) advance(to structures.Tick) {
	if w.ticking {
		for w.clock < to {
			w.clock++
			w.wake(w.clock)
		}
		return
	}
	for at, ok := w.Next(); ok && at <= to; at, ok = w.Next() {
		w.wake(at)
	}
	w.clock = to
	if w.coarse {
		// A coarse structure rounds by the delay from its clock, so a caller moves the clock before it schedules.
		// The pop is no wake-up, because the caller is awake anyway. Nothing is due here unless Next was wrong.
		w.Wake(to)
	}
}

// wake pops the timers that are due. If none is, it counts the cause of the idle wake-up.
func (w *driven) wake(at structures.Tick) {
	fired, work := w.fired, w.work()
	w.Wake(at)
	work = w.work().Sub(work)
	if w.fired > fired {
		w.of.Firing++
		return
	}
	w.of.Wakeups++
	switch {
	case work.Moved > 0:
		w.of.Moved++
	case work.Dropped > 0:
		w.of.Dropped++
	}
}

func (w *driven) lateness() *results.Lateness {
	if len(w.late) == 0 {
		return nil
	}
	var l results.Lateness
	l.Mean, l.P99, l.Max = meanP99Max(w.late)
	l.MeanShare, l.P99Share, l.MaxShare = meanP99Max(w.share)
	return &l
}

func meanP99Max(values []float64) (mean, p99, largest float64) {
	slices.Sort(values)
	p99 = stat.Quantile(0.99, stat.Empirical, values, nil)
	return stat.Mean(values, nil), p99, values[len(values)-1]
}

// idleTickNS returns the mean time of a tick on which nothing fires. Each stretch of idle ticks counts with the shortest time of
// timedPasses passes, less the time of the reading of the clock.
func idleTickNS(e entry.Entry, blocks []*script.Block) float64 {
	var shortest []time.Duration
	ticks := 0
	for range timedPasses {
		s := newByID(e.New())
		s.reserve(blocks[len(blocks)-1])
		var took []time.Duration
		if took, ticks = s.timeIdle(blocks); shortest == nil {
			shortest = took
		}
		for i, d := range took {
			shortest[i] = min(shortest[i], d)
		}
	}
	clock := time.Duration(1 << 62)
	for range 1000 {
		start := time.Now()
		clock = min(clock, time.Since(start))
	}
	sum := time.Duration(0)
	for _, d := range shortest {
		sum += max(0, d-clock)
	}
	return float64(sum) / float64(max(1, ticks))
}

// timeIdle replays blocks as fast as possible, with the wake-ups of a ticking driver. It returns the times of the stretches of ticks
// on which nothing fires, each with a reading of the clock, and the number of these ticks. This is timed code without proof.
func (r *byID) timeIdle(blocks []*script.Block) (took []time.Duration, ticks int) {
	var o outcome
	now := structures.Tick(0)
	for _, b := range blocks {
		ops := b.Ops
		for i, batch := range b.Batches {
			if batch.Kind != script.KindFire && batch.Kind != script.KindWake {
				r.do(b.Batches[i:i+1], ops, &o)
				ops = ops[batch.Len:]
				continue
			}
			for _, op := range ops[:batch.Len] {
				if now+1 < op.At {
					start := time.Now()
					r.tickTo(now, op.At-1)
					took, ticks = append(took, time.Since(start)), ticks+int(op.At-1-now)
					now = op.At - 1
				}
				r.tickTo(now, op.At)
				now = op.At
			}
			ops = ops[batch.Len:]
		}
	}
	return took, ticks
}

// tickTo pops at each tick after the first one, up to the second one.
func (r *byID) tickTo(from, to structures.Tick) {
	for now := from + 1; now <= to; now++ {
		for _, ok := r.Pop(now); ok; _, ok = r.Pop(now) {
		}
	}
}
