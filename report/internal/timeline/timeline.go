// Package timeline follows one structure through a stretch of a workload, and takes down
// where its timers are and which calls do much work at once. Nothing is timed: the same
// version gives the same figures on any machine.
package timeline

import (
	"cmp"
	"slices"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
)

// Window is a stretch of virtual time, in Bins of Width ticks.
type Window struct {
	From  structures.Tick
	Width structures.Tick
	Bins  int
}

// To returns the first tick after the window.
func (w Window) To() structures.Tick { return w.From + w.Width*structures.Tick(w.Bins) }

// bin returns the bin of a tick of the window.
func (w Window) bin(at structures.Tick) int { return int((at - w.From) / w.Width) }

// Row is a figure in each bin.
type Row struct {
	Name   string
	Values []float64
}

// Timeline is what a structure did in a window.
type Timeline struct {
	Moved   Row   // the most timers moved or passed by a single Pop
	Visited Row   // the most slots visited by a single Pop
	Held    []Row // by part, the level with the shortest slots first: the timers in it at the end of the bin. Lists that hold timers for a moment are left out
}

// Of replays a workload with n timers on a new, empty structure, and follows it through
// the window. The structure must show its shape: see structures.Snapshot.
func Of(s structures.Scheduler[uint64], w workload.Workload, n int, seed uint64, window Window) Timeline {
	f := follower{s: s, window: window, held: make(map[string][]float64)}
	f.out.Moved = Row{"most moved by one call", make([]float64, window.Bins)}
	f.out.Visited = Row{"most visited by one call", make([]float64, window.Bins)}
	ops := w.Script(n, seed)
	f.do(ops.Fill())
	var b *script.Block
	for ops.Now() < window.To() {
		b = ops.Next(n, b)
		f.do(b)
	}
	for f.bin < window.Bins {
		f.endBin()
	}
	slices.SortStableFunc(f.parts, func(a, b structures.Part) int { return cmp.Compare(a.Width, b.Width) })
	for _, p := range f.parts {
		f.out.Held = append(f.out.Held, Row{p.Name, f.held[p.Name]})
	}
	return f.out
}

// follower replays a script.
type follower struct {
	s      structures.Scheduler[uint64]
	window Window
	ids    []structures.ID // by key
	bin    int             // the bins before it are complete
	held   map[string][]float64
	parts  []structures.Part // each as it was first met
	out    Timeline
}

func (f *follower) do(b *script.Block) {
	if n := b.Keys - len(f.ids); n > 0 {
		f.ids = append(f.ids, make([]structures.ID, n)...)
	}
	ops := b.Ops
	for _, batch := range b.Batches {
		for _, op := range ops[:batch.Len] {
			switch batch.Kind {
			case script.KindSchedule:
				f.ids[op.Key] = f.s.Schedule(op.At, 0)
			case script.KindCancel:
				f.s.Cancel(f.ids[op.Key])
			case script.KindReschedule:
				f.s.Reschedule(f.ids[op.Key], op.At)
			case script.KindFire, script.KindWake:
				f.pop(op.At)
			}
		}
		ops = ops[batch.Len:]
	}
}

// pop fires what is due at a tick.
func (f *follower) pop(now structures.Tick) {
	for f.bin < f.window.Bins && now >= f.window.From+f.window.Width*structures.Tick(f.bin+1) {
		f.endBin()
	}
	inside := now >= f.window.From && now < f.window.To()
	for {
		before := f.work()
		_, ok := f.s.Pop(now)
		if inside {
			w, bin := f.work().Sub(before), f.window.bin(now)
			f.out.Moved.Values[bin] = max(f.out.Moved.Values[bin], float64(w.Moved))
			f.out.Visited.Values[bin] = max(f.out.Visited.Values[bin], float64(w.SlotsVisited))
		}
		if !ok {
			return
		}
	}
}

// endBin takes down where the timers are.
func (f *follower) endBin() {
	shown, ok := f.s.(interface{ Snapshot() structures.Snapshot })
	if ok {
		for _, p := range shown.Snapshot().Parts {
			if p.Shape == structures.List {
				continue
			}
			if f.held[p.Name] == nil {
				f.held[p.Name] = make([]float64, f.window.Bins)
				f.parts = append(f.parts, p)
			}
			for _, c := range p.Cells {
				for _, e := range c.Entries {
					if !e.Stale() {
						f.held[p.Name][f.bin]++
					}
				}
			}
		}
	}
	f.bin++
}

func (f *follower) work() structures.Work {
	if c, ok := f.s.(interface{ Work() structures.Work }); ok {
		return c.Work()
	}
	return structures.Work{}
}
