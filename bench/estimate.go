package bench

import (
	"context"
	"runtime"

	"github.com/timerbench/timerbench/bench/internal/heap"
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Memory is the memory that one step of a run needs.
type Memory struct {
	Step  string
	Bytes uint64
}

// The sizes at which memory is measured to estimate the memory of a larger cell. They
// are so large that memory which does not depend on the size is negligible.
const (
	smallSample = 1 << 15
	largeSample = 2 * smallSample
)

// peakRatio is the peak memory of a cell divided by its live memory after the fill. It
// was measured as 1.0 to 1.6; it is larger with fewer structures. Arrays are copied
// when they grow, and the garbage collector frees the old ones later.
const peakRatio = 1.5

// maxPerTimer is an upper bound of the bytes that a contender, or the script, uses
// for one timer.
const maxPerTimer = 400

// FitMemory returns the step of a run that needs the most memory, and that amount, accurate to
// about a third. It fills all contenders with few timers and extrapolates. This takes a
// second or two for each workload. Cells that cannot need as much as limit bytes are
// skipped. Of lean loops, the structures of a cell that needs more are to be measured one
// after the other: the configuration that it returns says so.
func FitMemory(ctx context.Context, cfg Config, limit uint64) (Config, Memory, error) {
	var largest Memory
	cfg.apart = make(map[string]bool)
	for w, n := range cfg.cells() {
		c, entries := cfg.cell(w, n, replay.Clock{}), cfg.entries(n)
		// And the script, the control, the stub, Go's timers.
		if uint64(n)*uint64(len(entries)+4)*maxPerTimer < limit {
			continue
		}
		var bytes uint64
		var err error
		if cfg.Profile.timesCalls(w) {
			bytes, err = callsMemory(ctx, c, entries)
		} else if bytes, err = cellMemory(ctx, c, entries); err == nil && c.lean && bytes > limit {
			cfg.apart[c.name()], c.apart = true, true
			bytes, err = largestAlone(ctx, c, entries)
		}
		if err != nil {
			return cfg, largest, err
		}
		if bytes > largest.Bytes {
			largest = Memory{c.name(), bytes}
		}
	}
	return cfg, largest, nil
}

// largestAlone estimates the memory of a cell with one structure, the one that takes the
// most.
func largestAlone(ctx context.Context, c cell, entries []catalog.Entry) (uint64, error) {
	var largest uint64
	for _, e := range entries {
		bytes, err := cellMemory(ctx, c, []catalog.Entry{e})
		if err != nil {
			return 0, err
		}
		largest = max(largest, bytes)
	}
	return largest, nil
}

// cellMemory estimates the memory of a cell from two small cells.
func cellMemory(ctx context.Context, c cell, entries []catalog.Entry) (uint64, error) {
	small, err := filledMemory(ctx, c, entries, smallSample)
	if err != nil {
		return 0, err
	}
	large, err := filledMemory(ctx, c, entries, largeSample)
	perTimer := max(0, large-small) / (largeSample - smallSample)
	return uint64(peakRatio * max(0, large+perTimer*float64(c.n-largeSample))), err
}

// callsMemory estimates the memory of the analysis of single calls: a script that is kept as
// a whole, and as many structures as there are processors. The estimate for one structure
// holds the structure twice, as it has a control, and the script while it is filled.
func callsMemory(ctx context.Context, c cell, entries []catalog.Entry) (uint64, error) {
	const kept = 4*16 + 32 // bytes of a timer: its operations after the fill, and its fire
	largest, err := largestAlone(ctx, c, entries)
	return largest*uint64(max(2, runtime.GOMAXPROCS(0)))/2 + kept*uint64(c.n), err
}

// filledMemory returns the live bytes of a cell with n timers in its first round.
func filledMemory(ctx context.Context, c cell, entries []catalog.Entry, n int) (float64, error) {
	c.n = n
	before := heap.Measure()
	m := c.begun(entries)
	if !c.apart {
		m.addControl(referenceOf(entries))
	}
	p, err := c.begin(ctx, 0, m.rows, nil)
	if err != nil {
		return 0, err
	}
	defer p.end()
	for range c.modes(0) {
		b, err := p.next(p.plan.block, nil)
		if err != nil {
			return 0, err
		}
		p.blocks = append(p.blocks, b)
	}
	held := heap.Measure()
	return held.BytesSince(before), nil
}
