// Package conform checks whether a program of any language keeps the contract of timers. It replays operations on the
// program without measuring them, and compares every timer that fires with a model:
//
//   - named cases, each for a fault that some timer library has had;
//   - thousands of generated programs of operations;
//   - the workloads of the benchmark, and recordings of real programs;
//   - a million timers that are cancelled long before their deadlines, by which a program may grow, which is noted.
//
// The first failure is shrunk to the fewest operations that still fail, and described in terms of these operations. A
// program that hangs, ends, floods its output or answers late gets a
// verdict within the time limit, like one that fires the wrong timers.
package conform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/trace"
)

// Limits are time limits. Verify ends a program at the latest after Hello, Checks and Shrink together.
type Limits struct {
	Hello   time.Duration // from the start of a program to its hello
	Request time.Duration // one request, in addition to 100 µs for each operation
	Checks  time.Duration // all checks after the hello
	Shrink  time.Duration // shrinking a failure
}

// DefaultLimits are the limits of timerbench verify (chosen).
var DefaultLimits = Limits{Hello: 12 * time.Second, Request: time.Second, Checks: 10 * time.Second, Shrink: 5 * time.Second}

// Verdict is what was checked of a program, and its first failure.
type Verdict struct {
	Program    string   `json:"program"`
	Language   string   `json:"language,omitempty"`
	Structure  string   `json:"structure,omitempty"`
	OK         bool     `json:"ok"`
	Failure    *Failure `json:"failure,omitempty"`
	Notes      []string `json:"notes,omitempty"` // observations that are not failures
	Named      int      `json:"named_cases"`     // that passed
	Generated  int      `json:"generated_programs"`
	Workloads  int      `json:"workloads"`
	Recordings int      `json:"recordings"`
	Operations int      `json:"operations"`
	Grew       float64  `json:"bytes_per_cancelled"` // growth of its memory for each timer cancelled long before its deadline, if known
	Seconds    float64  `json:"seconds"`
}

// Failure is the first check that failed.
type Failure struct {
	Check      string   `json:"check"`                // such as "named case: equal deadlines"
	What       string   `json:"what"`                 // the fault and the expected behavior
	Operations []string `json:"operations,omitempty"` // the smallest failing operations that were found, a line each
	From       int      `json:"from,omitempty"`       // the number of operations before they were shrunk
}

// fault describes the first difference between a replay and the model.
type fault struct {
	at   int // index of the operation; -1: not known
	what string
	slow bool // no answer within the time limit
}

type check struct {
	name  string
	ops   func() ([]op, error) // the error is of a recording
	slow  bool                 // see named
	count *int                 // of the verdict
	by    int                  // what it counts
}

// Workloads and recordings are replayed with about this many timers and operations (chosen).
const (
	timers     = 60
	operations = 1500
	recorded   = 4000
	programs   = 3000 // generated, as far as the time suffices
)

// Verify checks a program. traces are the names of recordings. The error is that of ctx, or of a recording that cannot be
// read; every fault of the program is in the verdict.
func Verify(ctx context.Context, s external.Spec, traces []string, limits Limits) (v Verdict, err error) {
	s.HelloTime, s.RequestTime = limits.Hello, limits.Request
	started := time.Now()
	within, cancel := context.WithTimeout(ctx, limits.Hello+limits.Checks+limits.Shrink)
	defer cancel()
	k := &kit{ctx: within, spec: s, verdict: &v}
	v.Program = s.Name
	defer func() { v.Seconds = time.Since(started).Seconds() }()
	defer k.end()
	if err := k.ready(); err != nil {
		v.Failure = &Failure{Check: "start", What: err.Error()}
		return v, ctx.Err()
	}
	floor := k.program.Floor
	v.Language, v.Structure = k.program.Language, k.program.Version
	if k.program.Floor {
		v.Notes = append(v.Notes, "it is a floor: it has no structure, and was told what fires")
	}
	k.deadline = time.Now().Add(limits.Checks)
	if err := k.run(traces, limits.Shrink); err != nil {
		return v, err
	}
	if v.Failure == nil && !floor {
		v.Failure = k.survive(time.Now().Add(limits.Shrink)) // nothing was shrunk
	}
	v.OK = v.Failure == nil
	v.Notes = append(v.Notes, k.order(), k.siblings())
	return v, ctx.Err()
}

type kit struct {
	ctx      context.Context
	spec     external.Spec
	verdict  *Verdict
	deadline time.Time
	blocks   *external.Blocks
	program  *external.Program

	unordered, notFIFO bool // seen in a Pop over several ticks, and among equal deadlines
}

// ready starts the program unless it runs. It starts a program again that has ended or hung.
func (k *kit) ready() (err error) {
	if k.program != nil && !k.program.Hangs() {
		return nil
	}
	k.end()
	k.blocks = &external.Blocks{}
	k.program, err = external.Start(k.ctx, k.spec, k.blocks)
	return err
}

func (k *kit) end() {
	if k.program != nil {
		k.program.Close()
		k.program = nil
	}
	if k.blocks != nil {
		k.blocks.Close()
		k.blocks = nil
	}
}

func (k *kit) run(traces []string, shrinkTime time.Duration) error {
	v := k.verdict
	for _, c := range k.checks(traces) {
		if time.Now().After(k.deadline) {
			if v.Named < len(namedCases(k.program.About.Limit))-1 { // one may be too slow
				v.Failure = &Failure{Check: c.name, What: fmt.Sprintf("it answers too late: %d named cases took all of the time", v.Named)}
			}
			return nil
		}
		ops, err := c.ops()
		if err != nil {
			return err
		}
		f := k.replay(ops)
		switch {
		case f == nil:
			*c.count += c.by
			v.Operations += len(ops)
			continue
		case f.slow && c.slow:
			v.Notes = append(v.Notes, fmt.Sprintf("%s: no answer within %s, so the time of a Pop grows with the ticks that it skips",
				c.name, k.spec.RequestTime))
			continue
		}
		fewest, smallest := shrunk(ops, *f, time.Now().Add(shrinkTime), func(ops []op) *fault {
			f := k.replay(ops)
			if k.ctx.Err() != nil {
				return nil // ended by the time limit, or by the user
			}
			return f
		})
		v.Failure = &Failure{Check: c.name, What: smallest.what, Operations: listing(fewest, smallest.at), From: len(ops)}
		return nil
	}
	return nil
}

// checks returns the named cases, then generated programs, workloads and recordings in turns, so that a slow program gets
// some of each.
func (k *kit) checks(traces []string) (list []check) {
	v := k.verdict
	var last []check
	for _, c := range namedCases(k.program.About.Limit) {
		to := &list
		if c.last {
			to = &last
		}
		*to = append(*to, check{"named case: " + c.name, func() ([]op, error) { return c.ops, nil }, c.slow, &v.Named, 1})
	}
	workloads := slices.DeleteFunc(workload.All(), func(w workload.Workload) bool { return w.Kind().SingleCalls })
	for i := range max(programs/perBatch, len(workloads), len(traces)) {
		if seed := i + 1; seed <= programs/perBatch {
			list = append(list, check{fmt.Sprintf("generated programs, seed %d", seed),
				func() ([]op, error) { return batch(uint64(seed)), nil }, false, &v.Generated, perBatch})
		}
		if i == 0 {
			list = append(list, last...)
		}
		if i < len(workloads) {
			list = append(list, check{fmt.Sprintf("workload %s, n %d", workloads[i].Name, timers),
				func() ([]op, error) { return ofWorkload(workloads[i]), nil }, false, &v.Workloads, 1})
		}
		if i < len(traces) {
			list = append(list, check{"recording " + traces[i], func() ([]op, error) { return ofTrace(traces[i]) }, false, &v.Recordings, 1})
		}
	}
	return list
}

func ofWorkload(w workload.Workload) []op {
	s := w.Script(timers, 1)
	ops := fromBlock(nil, s.Fill())
	for len(ops) < operations {
		ops = fromBlock(ops, s.Next(operations, nil))
	}
	return ops
}

func ofTrace(path string) (ops []op, err error) {
	r, err := trace.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // it is only read
	for len(ops) < recorded {
		o, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if kind, ok := ofRecording[o.Kind]; ok {
			ops = append(ops, newOp(kind, o.Key, o.At))
		}
	}
	ops, _ = onlyValid(ops, math.MaxInt64)
	return ops, nil
}

// replay replays operations on a fresh instance. nil: all went well.
func (k *kit) replay(ops []op) *fault {
	if err := k.ready(); err != nil {
		return &fault{at: -1, what: err.Error()}
	}
	b := block(ops)
	err := k.program.Begin(b.Keys)
	if err == nil {
		_, err = k.program.Replay(b, true)
	}
	fired := k.program.Fired()
	if !k.program.Coarse && fired != nil {
		k.observe(ops, fired)
	}
	if err == nil {
		return nil
	}
	f := &fault{at: -1, what: err.Error(), slow: k.program.Hangs()}
	if errors.Is(k.ctx.Err(), context.DeadlineExceeded) {
		f.what, f.slow = "it hangs: no answer within the time limit of all checks", true
	}
	if wrong, ok := errors.AsType[*external.WrongFire](err); ok && !k.program.Coarse {
		f.at, f.what = explain(wrong, ops, fired)
	}
	return f
}

// observe notes the order in which timers of one Pop fire. The protocol leaves it open.
func (k *kit) observe(ops []op, fired []external.Fire) {
	follow(ops, math.MaxInt64, func(i int, due []script.Fire) {
		place := make(map[uint32]int)
		for n, f := range due {
			place[f.Key] = n
		}
		latest, last := tick(0), make(map[tick]int) // the latest deadline that has fired, and the last place of each
		for ; ops[i].Kind == pop && len(fired) > 0 && fired[0].At == ops[i].At; fired = fired[1:] {
			n, ok := place[fired[0].Slot]
			if !ok {
				continue
			}
			deadline := due[n].At
			k.unordered = k.unordered || deadline < latest
			k.notFIFO = k.notFIFO || n < last[deadline]
			latest, last[deadline] = max(latest, deadline), n
		}
	})
}

func (k *kit) order() string {
	if k.program != nil && k.program.Coarse {
		return "it is coarse: timers were held against their bounds"
	}
	of, among := "timers fire in the order of deadlines", "in the order in which they were scheduled"
	if k.unordered {
		of = "a Pop over several ticks does not fire in the order of deadlines, which the protocol allows"
	}
	if k.notFIFO {
		among = "in another order than they were scheduled"
	}
	return of + ", and equal deadlines " + among
}

// siblings notes whether a timer that fires can stop another one that is due.
func (k *kit) siblings() string {
	const of = "whether a timer that fires can stop another that is due: "
	if k.program == nil || k.program.Hangs() || !k.program.PopsOne {
		return of + "not said"
	}
	fired, err := k.program.PopOne()
	switch {
	case err != nil:
		return of + err.Error()
	case fired == 1:
		return of + "yes"
	case fired == 2:
		return of + "no, it fires all the same"
	}
	return of + fmt.Sprintf("%d timers fired of two, want one or both", fired)
}

// Lines returns the verdict as lines of text.
func (v Verdict) Lines() []string {
	who := v.Program
	if v.Structure != "" {
		who += fmt.Sprintf(" (%s, %s)", v.Language, v.Structure)
	}
	checked := fmt.Sprintf("%s, %s, %s, %s: %s in %.1f s", show.Count(v.Named, "named case"), show.Count(v.Generated, "generated program"),
		show.Count(v.Workloads, "workload"), show.Count(v.Recordings, "recording"), show.Count(v.Operations, "operation"), v.Seconds)
	if f := v.Failure; f != nil {
		out := []string{fmt.Sprintf("%s FAILS in %s: %s", who, f.Check, f.What)}
		if len(f.Operations) > 0 {
			out = append(append(out, fmt.Sprintf("The fewest of %d operations that fail:", f.From)), f.Operations...)
		}
		return append(out, "Before that: "+checked+".")
	}
	return append(slices.Concat([]string{who + " passes: " + checked + "."}), v.Notes...)
}
