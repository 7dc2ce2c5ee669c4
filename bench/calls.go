package bench

import (
	"context"
	"io"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/timerbench/timerbench/bench/internal/stopwatch"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
)

// callsCase times every call of a workload that is about single calls, from the fill until
// each timer has fired once. First every answer is proved. Then all calls are made in
// several rounds, each on a new instance, and the outcome of each round is proved.
type callsCase struct{ cellConfig }

// callRounds is the number of rounds (chosen).
const callRounds = 3

func (c callsCase) name() string { return "longest calls, " + c.cellConfig.name() }

// run measures the structures one after the other.
func (c callsCase) run(ctx context.Context, entries []catalog.Entry) ([]results.Calls, []results.Failure, error) {
	kept, err := c.write(ctx)
	if err != nil {
		return nil, nil, err
	}
	failed, err := c.prove(ctx, kept, entries)
	if err != nil {
		return nil, nil, err
	}
	var out []results.Calls
	for _, e := range entries {
		if failedIn(failed, e) {
			continue
		}
		calls, failures, err := c.measure(ctx, kept, e)
		if err != nil {
			return nil, nil, err
		}
		if failed = append(failed, failures...); len(failures) == 0 {
			out = append(out, calls)
		}
	}
	return out, failed, nil
}

// verify proves the structures and adds what it finds to v.
func (c callsCase) verify(ctx context.Context, entries []catalog.Entry, v *Verified) error {
	kept, err := c.write(ctx)
	if err != nil {
		return err
	}
	failed, err := c.prove(ctx, kept, entries)
	v.Operations += kept.operations()
	v.Failures = append(v.Failures, failed...)
	return err
}

// failedIn reports whether a structure is among those that failed.
func failedIn(failed []results.Failure, e catalog.Entry) bool {
	return slices.ContainsFunc(failed, func(f results.Failure) bool { return f.Structure == e.Name })
}

// prove checks every answer of the structures. As many as there are processors take part
// at a time.
func (c callsCase) prove(ctx context.Context, kept *keptScript, entries []catalog.Entry) ([]results.Failure, error) {
	var failed []results.Failure
	for rest := entries; len(rest) > 0; {
		some := rest[:min(runtime.GOMAXPROCS(0), len(rest))]
		rest = rest[len(some):]
		run, err := c.replay(ctx, kept, some, (*contender).prove)
		if err != nil {
			return nil, err
		}
		failed = append(failed, run.failed...)
	}
	return failed, nil
}

// measure times every call of a structure in several rounds.
func (c callsCase) measure(ctx context.Context, kept *keptScript, e catalog.Entry) (results.Calls, []results.Failure, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	watch := stopwatch.New(callRounds)
	var proof script.Proof
	for range callRounds {
		timed := watch.Round(e.New())
		entry := e
		entry.New = func() (s structures.Scheduler[uint64]) {
			if s, timed = timed, nil; s == nil {
				s = e.New() // the second instance of a coarse structure
			}
			return s
		}
		run, err := c.replay(ctx, kept, []catalog.Entry{entry}, (*contender).replayChecked)
		if err != nil || len(run.failed) > 0 {
			return results.Calls{}, run.failed, err
		}
		proof = run.rows[0].proof
	}
	calls, err := watch.Result()
	if err != nil {
		return calls, []results.Failure{{Structure: e.Name, Where: c.name(), Reason: err.Error()}}, nil
	}
	calls.Workload, calls.N, calls.Structure, calls.Proof = c.workload.Name, c.n, e.Name, proof
	return calls, nil, nil
}

// replay replays the script on new instances of structures, a block after the fill as
// block does.
func (c callsCase) replay(ctx context.Context, kept *keptScript, entries []catalog.Entry, block func(*contender, *script.Block) error) (*cellRun, error) {
	c.open = func(context.Context, cellConfig) (source, error) { return kept, nil }
	run := &cellRun{cellConfig: c.cellConfig}
	for _, e := range entries {
		run.rows = append(run.rows, &contender{row: results.Row{Structure: e.Name, Role: results.RoleStructure}, entry: e})
	}
	p, err := run.begin(ctx, run.rows)
	if err != nil {
		return run, err
	}
	defer p.end()
	for _, b := range kept.blocks {
		if err := p.sideBySide(ctx, func(row *contender) error { return block(row, b) }); err != nil {
			return run, err
		}
	}
	return run, p.finish(ctx)
}

// keptScript is a source whose script is written once and replayed several times.
type keptScript struct {
	*script.Script
	fill   *script.Block
	blocks []*script.Block
}

// write writes the script until each timer has fired once.
func (c callsCase) write(ctx context.Context) (*keptScript, error) {
	k := &keptScript{Script: c.workload.Script(c.n, c.seed)}
	last, err := k.FillContext(ctx)
	for k.fill = last; err == nil && last.Want.Fired < uint64(c.n); {
		if last, err = k.NextContext(ctx, c.block(), nil); err == nil {
			k.blocks = append(k.blocks, last)
		}
	}
	return k, err
}

// operations returns the number of operations after the fill.
func (k *keptScript) operations() int {
	n := 0
	for _, b := range k.blocks {
		n += b.Calls + b.Pops
	}
	return n
}

func (k *keptScript) plan(int) roundPlan { return roundPlan{} }

func (k *keptScript) keys() int { return k.fill.Keys }

func (k *keptScript) populate(do func(*script.Block) error) error { return do(k.fill) }

// nextBlock returns no block: who replays a keptScript goes through its blocks.
func (k *keptScript) nextBlock(int, *script.Block) (*script.Block, error) { return nil, io.EOF }

func (k *keptScript) remaining(func(*script.Block) error) error { return nil }

func (k *keptScript) pending(do func(script.Timer)) { k.Pending(do) }

func (k *keptScript) close() {}
