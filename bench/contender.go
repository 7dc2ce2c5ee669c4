package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/entry"
)

// FloorName is the name of the floor of the harness.
const FloorName = results.Floor

// ReferenceName is the structure that no cell leaves out, whatever it costs.
const ReferenceName = "auto"

// repeated returns the structure that the control of the cell repeats. The cells take turns, so that the noise of a run is that of many
// structures. Structures that are slow in large cells have no control, nor have coarse ones.
func (c cell) repeated(entries []entry.Entry) entry.Entry {
	fit := slices.DeleteFunc(slices.Clone(entries), func(e entry.Entry) bool {
		return e.Intrusive() || e.Limit > 0 || e.ThirdParty != "" || !e.Exact()
	})
	if len(fit) == 0 {
		return entries[0]
	}
	return fit[workload.StreamOf(c.workload.Name, c.n)%uint64(len(fit))]
}

// contender is one row of a cell. During a pass it has a fresh instance of its structure.
type contender struct {
	results.Row
	entry   entry.Entry       // declares its bounds
	samples *replay.Latencies // nil after the rounds that every contender gets
	open    func() replay.Player
	player  replay.Player // of the pass
	program bool          // of another language, which times whole blocks only
}

func newContender(role results.Role, e entry.Entry) *contender {
	return &contender{
		Row:   results.Row{Structure: e.Name, Role: role, Coarse: !e.Exact()},
		entry: e, open: func() replay.Player { return replay.New(e) },
	}
}

// begin makes a fresh instance with room for the given number of keys.
func (c *contender) begin(keys int) error {
	c.player = c.open()
	return c.player.Begin(keys)
}

// contenders returns the contenders of a cell: the floor, the structures and the programs. Intrusive structures have a
// floor of their own.
func (c cell) contenders(entries []entry.Entry, programs []*external.Program) []*contender {
	floor, floorInStructs := replay.Floors()
	list := []*contender{newContender(results.RoleFloor, floor)}
	intrusive := false
	for _, e := range entries {
		role := results.RoleStructure
		if e.Intrusive() {
			role, intrusive = results.RoleIntrusive, true
		}
		list = append(list, newContender(role, e))
	}
	if intrusive {
		list = append(list, newContender(results.RoleFloor, floorInStructs))
	}
	for _, p := range programs {
		list = append(list, programContender(p))
	}
	return list
}

func programContender(p *external.Program) *contender {
	e := entry.Entry{Name: p.Name, Allocates: true}
	if p.Coarse {
		e.MaxLate = p.Late
	}
	role := results.RoleExternal
	if p.Floor {
		role = results.RoleFloor
	}
	c := newContender(role, e)
	c.open, c.program = func() replay.Player { return p }, true
	return c
}

// rig has the resources that the cells of a run share: the clock, the programs and the turns.
type rig struct {
	clock    replay.Clock
	programs []*external.Program
	blocks   external.Blocks
	wait     func() error // for the turn of a trial
	budget   Budget
}

// newRig returns a rig without programs, whose clock is not measured. Each trial waits for its turn, if
// turns is not nil.
func newRig(turns *Turns) *rig {
	g := &rig{wait: func() error { return nil }}
	if turns != nil {
		g.wait = turns.Wait
	}
	return g
}

// start starts programs. One that does not start is a failure in r, and the others take part.
func (g *rig) start(ctx context.Context, list []external.Spec, r *results.Run) {
	for _, s := range list {
		p, err := external.Start(ctx, s, &g.blocks)
		if err == nil {
			g.programs = append(g.programs, p)
			continue
		}
		f := results.Failure{Structure: s.Name, Where: "its start", Reason: err.Error()}
		if !slices.Contains(r.Failures, f) {
			r.Failures = append(r.Failures, f)
		}
	}
}

func (g *rig) end() {
	for _, p := range g.programs {
		p.Close()
	}
	g.blocks.Close()
}

func (g *rig) describe() (list []results.External) {
	for _, p := range g.programs {
		list = append(list, p.Describe())
	}
	return list
}

// programsFor returns the programs that take part in a cell. A program may accept fewer timers than the
// cell has, or be left out.
func (g *rig) programsFor(c cell, leftOut []string) []*external.Program {
	return slices.DeleteFunc(slices.Clone(g.programs), func(p *external.Program) bool {
		return p.About.Limit > 0 && c.n > p.About.Limit || slices.Contains(leftOut, p.Name)
	})
}

func controlOf(e entry.Entry) *contender {
	c := newContender(results.RoleControl, e)
	c.Structure, c.Of = e.Name+"-control", e.Name
	return c
}

// ofHarness reports whether the contender is a part of the harness. Its failure is a fault of the
// harness.
func (c *contender) ofHarness() bool { return !c.program && c.Role == results.RoleFloor }

// replay replays a block without timing and checks the outcome. If every is set, it checks every answer. The harness
// answers from the script, so only its outcome is checked.
func (c *contender) replay(b *script.Block, every bool) error {
	if _, err := c.player.Replay(b, every && !c.ofHarness()); err != nil {
		return err
	}
	return c.player.Check(nil)
}

// checkAllocations checks the number of allocations of an instance in its timed blocks.
// floor is the number of allocations of the harness. grows reports that the number of timers is
// not steady: in a recording it rises from the mean to the maximum. A coarse structure holds late timers, too, whose number
// rises until the first of them fire.
func (c *contender) checkAllocations(instance int, floor uint64, grows bool) error {
	if c.entry.Allocates || c.Role == results.RoleFloor {
		return nil
	}
	allocs, ops := c.allocations(instance)
	// The runtime itself allocates from time to time. A structure may grow a few times, when its
	// number of timers reaches a new maximum. A structure with several arrays and a map makes a
	// dozen allocations each time. With many timers it adds pages until it has aged.
	allowed := floor + 18 + ops/50_000 + c.player.Proof().Pending/20_000
	if grows || c.Coarse {
		allowed += 18 + ops/10_000
	}
	if allocs > allowed {
		return fmt.Errorf("%d allocations in %d operations of the steady state, and it declares none",
			allocs, ops)
	}
	return nil
}

// allocations returns the number of allocations in the timed blocks of an instance, and
// the number of operations. The first of several rounds does not count: there the population may still grow.
func (c *contender) allocations(instance int) (allocs, ops uint64) {
	of := slices.DeleteFunc(slices.Clone(c.Cost), func(t results.Trial) bool { return t.Instance != instance })
	if len(of) > 1 {
		of = of[1:]
	}
	for _, t := range of {
		allocs += t.Allocs
		ops += uint64(t.Ops + t.Wakes)
	}
	return allocs, ops
}

// stop drops the instance, so that the garbage collector can free it.
func (c *contender) stop() { c.player = nil }
