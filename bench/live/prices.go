package live

import (
	"context"
	"math/rand/v2"

	"github.com/timerbench/timerbench/bench/results"
)

// Prices measures what one operation on a timer costs each contender among a number of pending timers, and the memory of a timer among
// [results.FewTimers]. It takes about two seconds for two contenders, and more for a million timers. [Run] measures more, and for longer.
//
// The contenders take turns, and only one has pending timers: Go's runtime visits all timers in its heap when it wakes up for one that
// was moved to an earlier time, such as the alarm of the queue.
func Prices(ctx context.Context, contenders []Subject, resident int) (*results.Live, []results.Failure) {
	const rounds, turns = 3, 4
	cfg := Default()
	cfg.Contenders, cfg.Resident, cfg.Goroutines, cfg.Turns = contenders, []int{resident}, []int{1}, turns
	cfg.ops = []results.Op{
		results.StartStop(results.FormAfterFunc), results.StartStop(results.FormEmbedded), results.StartStop(results.FormChannel),
		results.OpReset, results.OpFire, results.OpWake,
	}
	r := &runner{
		ctx: ctx, Config: cfg, plan: plan{rounds: rounds, turns: turns, slice: minSlice}, random: rand.New(rand.NewPCG(cfg.Seed, 2)), entries: cfg.entries(),
	}
	for _, e := range r.entries {
		few := *e
		few.row.Resident = results.FewTimers
		r.memory(&few)
		e.row.Memory = few.row.Memory
	}
	for round := range rounds {
		for _, e := range r.shuffled() {
			r.turn = round * turns
			r.measureGroup([]*member{e}, round)
			r.keep(e)
		}
	}
	return r.results(), r.failures
}
