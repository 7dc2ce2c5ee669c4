package bench

import (
	"context"
	"fmt"

	"github.com/timerbench/timerbench/structures/catalog"
)

// Memory is what one step of a run needs.
type Memory struct {
	Step  string
	Bytes uint64
}

// The sizes at which memory is measured to estimate what a larger cell needs. They
// are so large that memory which does not depend on the size hardly counts.
const (
	smallSample = 1 << 15
	largeSample = 2 * smallSample
)

// peak is the ratio of the most memory that a cell uses to what is live once it is
// filled. It was measured as 1.0 to 1.6; it is larger with fewer structures. Arrays
// are copied as they grow, and the collector does not free them at once.
const peak = 1.2

// mostPerTimer is an upper bound of the bytes that a contender, or the script,
// takes for a timer.
const mostPerTimer = 400

// EstimateMemory returns the step of a run that needs the most memory, and how
// much that is, within about a third. It fills all contenders with few timers and
// extrapolates. This takes a second or two for each workload; it leaves out
// workloads that cannot need more than enough bytes.
func EstimateMemory(ctx context.Context, cfg Config, enough uint64) (Memory, error) {
	var most Memory
	for _, w := range cfg.Workloads {
		n := 0
		for _, size := range cfg.sizes(w) {
			n = max(n, size)
		}
		entries := cfg.entries(n)
		atMost := uint64(n) * uint64(len(entries)+3) * mostPerTimer // and the script, the control, Go's timers
		if len(entries) == 0 || atMost < enough {
			continue
		}
		bytes, err := cellMemory(ctx, cfg.cell(w, n, Clock{}), entries)
		if err != nil {
			return most, err
		}
		if bytes > most.Bytes {
			most = Memory{fmt.Sprintf("%s, n %d", w.Name, n), bytes}
		}
	}
	return most, nil
}

// cellMemory extrapolates from two small cells.
func cellMemory(ctx context.Context, c cellConfig, entries []catalog.Entry) (uint64, error) {
	small, err := filledMemory(ctx, c, entries, smallSample)
	if err != nil {
		return 0, err
	}
	large, err := filledMemory(ctx, c, entries, largeSample)
	if err != nil {
		return 0, err
	}
	perTimer := max(0, large-small) / (largeSample - smallSample)
	return uint64(peak * max(0, large+perTimer*float64(c.n-largeSample))), nil
}

// filledMemory is what a cell with n timers holds in its first round.
func filledMemory(ctx context.Context, c cellConfig, entries []catalog.Entry, n int) (float64, error) {
	c.n = n
	before := heap()
	r, err := c.begin(ctx, entries)
	if err != nil {
		return 0, err
	}
	defer r.end()
	for range c.modes(0) {
		b, err := r.follow(r.pace.block, nil)
		if err != nil {
			return 0, err
		}
		r.memory = append(r.memory, b)
	}
	held := heap()
	return float64(held.bytes) - float64(before.bytes), nil
}
