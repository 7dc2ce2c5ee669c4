package replay

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/parallel"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
)

// Calls times every call of a workload that is about single calls, from the fill until each timer has fired once.
// It proves every answer first. Then it makes all calls in several rounds, each on a new instance, and proves
// the outcome of each round.
type Calls struct {
	Workload workload.Workload
	N        int
	Seed     uint64
	Block    int     // operations
	ClockNS  float64 // cost of a reading of the clock
}

const callRounds = 3

// Name returns the name of the analysis.
func (c Calls) Name() string { return fmt.Sprintf("longest calls, %s, n %d", c.Workload.Name, c.N) }

// Seconds estimates the duration: one proof of every answer, and a timing of every call in each round.
func (c Calls) Seconds(structures int) float64 {
	const (
		perCall = 250e-9 // a call that schedules, cancels or fires
		perTick = 120e-9
		calls   = 5 // per timer, including the fill and the replacements
	)
	ticks := 0.0
	if m, ok := c.Workload.Model.(*workload.Avalanche); ok {
		ticks = float64(m.Period+m.Spread) / float64(c.Workload.Tick)
	}
	return float64(structures) * (0.01 + callRounds*(calls*perCall*float64(c.N)+perTick*ticks))
}

// Run implements [Analysis].
func (c Calls) Run(ctx context.Context, entries []entry.Entry, out *results.Run) error {
	k, _, failed, err := c.prove(ctx, entries)
	if err != nil {
		return err
	}
	out.Failures = append(out.Failures, failed...)
	proved := slices.DeleteFunc(slices.Clone(entries), func(e entry.Entry) bool {
		return slices.ContainsFunc(failed, func(f results.Failure) bool { return f.Structure == e.Name })
	})
	return each(ctx, proved, c.where(), &out.Calls, out, func(e entry.Entry) (results.Calls, error) { return c.measure(ctx, k, e) })
}

func (c Calls) where() string { return fmt.Sprintf("%s, seed %d", c.Name(), c.Seed) }

// Prove checks every answer of the structures. It returns their proofs, the number of operations, and the
// failures in the order of the structures.
func (c Calls) Prove(ctx context.Context, entries []entry.Entry) (
	proofs []script.Proof, operations int, failed []results.Failure, err error,
) {
	k, proofs, failed, err := c.prove(ctx, entries)
	return proofs, k.operations, failed, err
}

func (c Calls) prove(ctx context.Context, entries []entry.Entry) (k *kept, proofs []script.Proof, failed []results.Failure, err error) {
	if k, err = c.write(ctx); err != nil {
		return k, nil, nil, err
	}
	proofs = make([]script.Proof, len(entries))
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	errs := parallel.Each(ctx, order, func(at int) (err error) {
		proofs[at], err = k.replay(ctx, entries[at], func(timers) {}, true)
		return err
	})
	return k, proofs, failures(entries, c.where(), errs), ctx.Err()
}

// measure times every call of a structure in several rounds, with the garbage collector off.
func (c Calls) measure(ctx context.Context, k *kept, e entry.Entry) (results.Calls, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	w := &watch{rounds: callRounds, tick: c.Workload.Tick, clockNS: c.ClockNS}
	var proof script.Proof
	var err error
	for range callRounds {
		runtime.GC() // the instance before takes as much memory as this one
		if proof, err = k.replay(ctx, e, w.begin, false); err != nil {
			return results.Calls{}, err
		}
	}
	calls := w.result()
	calls.Workload, calls.N, calls.Structure, calls.Proof = c.Workload.Name, c.N, e.Name, proof
	if e.Intrusive() {
		calls.Role = results.RoleIntrusive
	}
	if !c.Workload.Kind().SingleCalls {
		calls.Bytes, err = c.bytes(ctx, k, e)
	}
	return calls, err
}

// bytes returns the heap that a structure takes per pending timer after all calls, without the harness's table of IDs.
func (c Calls) bytes(ctx context.Context, k *kept, e entry.Entry) (float64, error) {
	last := k.blocks[len(k.blocks)-1]
	before := Measure()
	r := newReplayer(e)
	r.reserve(last)
	for _, b := range k.blocks {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		r.time(b)
	}
	const id = 8
	taken := Measure().BytesSince(before) - id*float64(last.Keys)
	runtime.KeepAlive(&r)
	return max(0, taken) / float64(max(1, last.Want.Pending)), nil
}

// kept is a script that is generated once and replayed several times.
type kept struct {
	*script.Script
	blocks     []*script.Block // the first one is the fill
	operations int             // after the fill
}

func (c Calls) write(ctx context.Context) (*kept, error) {
	k := &kept{Script: c.Workload.Script(c.N, c.Seed)}
	b, err := k.FillContext(ctx)
	for err == nil {
		if k.blocks = append(k.blocks, b); b.Want.Fired >= uint64(c.N) {
			break
		}
		if b, err = k.NextContext(ctx, c.Block, nil); err == nil {
			k.operations += b.Calls + b.Pops
		}
	}
	return k, err
}

// replay replays all blocks on a new instance and returns the proof. If every is set, it checks every answer after the fill.
func (k *kept) replay(ctx context.Context, e entry.Entry, prepare func(timers), every bool) (script.Proof, error) {
	i := New(e)
	err := i.Begin(0)
	prepare(i.timers)
	for at, b := range k.blocks {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			_, err = i.Replay(b, every && at > 0)
		}
		if err == nil {
			err = i.Check(nil)
		}
	}
	if err != nil {
		return i.proof, err
	}
	return i.proof, i.Check(k.Pending)
}

// watch times every single call of a scheduler, in several rounds. Each round must make the same calls on a new
// scheduler.
//
// A call that takes long because of its work does so in every round; a call that the machine interrupted does
// not. So each call counts with its shortest time. A watch takes 4 bytes for each call of a round.
type watch struct {
	rounds   int
	tick     time.Duration
	clockNS  float64                // cost of a reading
	shortest []uint32               // ns, by call
	round    int                    // from 1
	calls    int                    // of this round
	longest  [4]results.LongestCall // by operation, in the order of results.Operations

	at     structures.Tick // of the last call
	behind float64         // ns from that tick to the end of the call, if each call waits for its tick and for the call before
	lag    float64         // the largest behind of a call that fired a timer
}

// begin begins the next round on new timers.
func (w *watch) begin(of timers) {
	w.round, w.calls = w.round+1, 0
	var clock structures.Tick
	of.stamped(func(c call) {
		clock = max(clock, c.at)
		w.add(c, clock)
	})(true)
}

// result returns the times of the calls, after the last round.
func (w *watch) result() results.Calls {
	out := results.Calls{Rounds: w.rounds, Calls: len(w.shortest), Lag: w.lag}
	for _, call := range w.longest {
		if call.Operation != "" {
			out.Longest = append(out.Longest, call)
		}
	}
	return out
}

func (w *watch) add(c call, at structures.Tick) {
	i, ns := w.calls, uint32(min(c.took, 1<<32-1))
	w.calls++
	if w.round == 1 {
		w.shortest = append(w.shortest, ns)
	}
	ns = min(ns, w.shortest[i])
	w.shortest[i] = ns
	if w.round < w.rounds {
		return
	}
	w.behind, w.at = max(0, w.behind-float64(at-w.at)*float64(w.tick))+max(0, float64(ns)-w.clockNS), at
	if c.ok && c.operation == results.Pop {
		w.lag = max(w.lag, w.behind)
	}
	if longest := &w.longest[slices.Index(results.Operations, c.operation)]; longest.Operation == "" || float64(ns) > longest.NS {
		*longest = results.LongestCall{Operation: c.operation, NS: float64(ns), At: at}
	}
}
