package bench

import (
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

// repeated returns the structure that the control of the cell repeats: one of the entries that no cell leaves out. The cells take turns, so that the
// noise of a run is that of several structures.
func (c *Cell) repeated(entries []entry.Entry) entry.Entry {
	fit := slices.DeleteFunc(slices.Clone(entries), func(e entry.Entry) bool { return !slices.Contains(always, e.Name) })
	if len(fit) == 0 {
		return entries[0]
	}
	return fit[workload.StreamOf(c.workload.Name, c.n)%uint64(len(fit))]
}

// contender is one row of a cell. During a pass it has a fresh instance of its structure.
type contender struct {
	results.Row
	samples *replay.Latencies // nil after the rounds that every contender gets
	open    func() replay.Player
	player  replay.Player // of the pass
	program bool          // of another language, which times whole blocks only
}

func newContender(role results.Role, e entry.Entry) *contender {
	return &contender{
		Row:  results.Row{Structure: e.Name, Role: role, Coarse: !e.Exact()},
		open: func() replay.Player { return replay.New(e) },
	}
}

// begin makes a fresh instance with room for the given number of keys.
func (c *contender) begin(keys int) error {
	c.player = c.open()
	return c.player.Begin(keys)
}

func programContender(p *external.Program) *contender {
	e := entry.Entry{Name: p.Name}
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

// controlSuffix is the end of the name of a contender that repeats a structure, see [Cell.repeated].
const controlSuffix = "-control"

func controlOf(e entry.Entry) *contender {
	c := newContender(results.RoleControl, e)
	c.Structure, c.Of = e.Name+controlSuffix, e.Name
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

// stop drops the instance, so that the garbage collector can free it.
func (c *contender) stop() { c.player = nil }

func rowsOf(list []*contender) (rows []results.Row) {
	for _, r := range list {
		rows = append(rows, r.Row)
	}
	return rows
}
