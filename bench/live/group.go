package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

// maxTogether is how many resident timers there are at the same time, at most, where more
// than two contenders are compared.
const maxTogether = 8_000_000

// groups divides entries into those that are measured together: of one number of resident
// timers, as many as memory allows, and the baseline with each of them. Contenders that
// wake up at every tick are not together with those that do not.
func groups(list []*entry) [][]*entry {
	type kind struct {
		resident int
		driver   results.Driver
	}
	var kinds []kind
	members := make(map[kind][]*entry)
	baselines := make(map[int][]*entry)
	for _, e := range list {
		if e.Role == results.RoleBaseline {
			baselines[e.resident] = append(baselines[e.resident], e)
			continue
		}
		k := kind{e.resident, ""}
		if e.Driver == results.Ticking {
			k.driver = results.Ticking
		}
		if members[k] == nil {
			kinds = append(kinds, k)
		}
		members[k] = append(members[k], e)
	}
	var out [][]*entry
	alone := maps.Clone(baselines)
	for _, k := range kinds {
		base := baselines[k.resident]
		for part := range slices.Chunk(members[k], max(1, maxTogether/k.resident-len(base))) {
			out = append(out, slices.Concat(base, part))
		}
		delete(alone, k.resident)
	}
	for n := range alone {
		out = append(out, baselines[n])
	}
	return out
}

// member is an entry with its resident timers.
type member struct {
	*entry
	system System
	crew   *crew
}

// measureGroup measures throughput and lateness of contenders that hold their resident
// timers at the same time.
func (r *runner) measureGroup(ctx context.Context, group []*entry, round int) (err error) {
	var members []*member
	defer func() {
		for _, m := range members {
			err = errors.Join(err, m.system.Close())
		}
	}()
	for _, e := range group {
		r.progress(fmt.Sprintf("round %d", round+1), e.Contender, e.resident)
		m := &member{entry: e}
		err := r.try(ctx, e, "filling", func() (err error) {
			if m.system, err = e.Open(); err != nil {
				return err
			}
			members = append(members, m)
			m.crew = newCrew(e.Contender, m.system, form(m.system), e.resident, slices.Max(r.Goroutines), r.MaxOps, r.Seed)
			return m.crew.fill()
		})
		if err != nil {
			return err
		}
	}
	if err := r.throughput(ctx, members); err != nil {
		return err
	}
	for _, m := range members {
		if err := r.try(ctx, m.entry, "lateness", func() error { return r.measureLateness(ctx, m, round) }); err != nil {
			return err
		}
		if err := r.try(ctx, m.entry, "emptying", m.crew.empty); err != nil {
			return err
		}
	}
	return nil
}

// task is what is timed in a slice.
type task struct {
	op         results.Op
	goroutines int
}

// throughput lets contenders take turns. The operation that leaves other delays behind
// comes last.
func (r *runner) throughput(ctx context.Context, members []*member) error {
	r.collectGarbage(true)
	percent := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(percent)
	for _, last := range []bool{false, true} {
		var tasks []task
		for _, op := range results.Ops {
			for _, n := range r.Goroutines {
				if (op == results.OpResetRandom) == last {
					tasks = append(tasks, task{op, n})
				}
			}
		}
		began := time.Now()
		allowed := 2 * time.Duration(r.turns*len(tasks)*len(members)) * r.slice
		for turn := range r.turns {
			if turn >= minTurns && time.Since(began) > allowed {
				break // the machine is slow
			}
			if err := r.takeTurn(ctx, members, tasks); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeTurn times each task of each member once. Members are next to one another, in random
// order.
func (r *runner) takeTurn(ctx context.Context, members []*member, tasks []task) error {
	for _, k := range r.random.Perm(len(tasks)) {
		for _, i := range r.random.Perm(len(members)) {
			m, t := members[i], tasks[k]
			if r.failed(m.Name) || !m.crew.can(t.op) {
				continue
			}
			err := r.try(ctx, m.entry, "throughput", func() error {
				s, err := m.crew.slice(t.op, t.goroutines, r.slice)
				if err != nil {
					return fmt.Errorf("%s by %d goroutines: %w", t.op, t.goroutines, err)
				}
				s.Turn = r.turn
				m.row.Throughput = append(m.row.Throughput, s)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	r.turn++
	r.collectGarbage(false)
	return nil
}

func (r *runner) measureLateness(ctx context.Context, m *member, round int) error {
	rate := r.Rate
	if m.Limit > 0 {
		rate = min(rate, float64(m.Limit))
	}
	load := OpenLoop{Rate: rate, Delay: min(100*time.Millisecond, r.lateness/3), Seed: r.Seed, Tolerance: tolerance, Sleep: r.Sleep}
	load.Length = r.lateness - load.Delay
	late, wrong, err := load.run(ctx, m.Contender, m.system, m.crew.form)
	late.Round, late.Rate = round, rate
	m.row.Lateness = append(m.row.Lateness, late)
	return errors.Join(err, wrong.Err())
}
