package live

import (
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/parallel"
)

// groups divides a list into groups that are measured together: those among one number of resident timers.
func groups(list []*member) (out [][]*member) {
	byNumber := make(map[int][]*member)
	for _, e := range list {
		byNumber[e.row.Resident] = append(byNumber[e.row.Resident], e)
	}
	for _, n := range slices.Sorted(maps.Keys(byNumber)) {
		out = append(out, byNumber[n])
	}
	return out
}

// measureGroup measures throughput and lateness of contenders whose resident timers are pending at the same time.
func (r *runner) measureGroup(group []*member, round int) {
	var members []*population
	defer func() {
		for _, p := range members {
			r.fail(p.Name, "live, closing", p.system.Close())
		}
	}()
	for _, e := range group {
		r.progress(fmt.Sprintf("round %d", round+1), e.Subject, e.row.Resident)
		r.try(e, "filling", func() error {
			s, err := e.Open()
			if err != nil {
				return err
			}
			p := newPopulation(e, s, form(s), slices.Max(r.Goroutines), r.Config)
			members = append(members, p)
			return p.fill()
		})
	}
	r.throughput(members)
	for _, m := range members {
		if r.lateness > 0 {
			r.try(m.member, "lateness", func() error { return r.measureLateness(m, round) })
		}
		r.try(m.member, "emptying", m.empty)
	}
}

// task is the operation and the number of goroutines of a slice.
type task struct {
	op         results.Op
	goroutines int
	length     time.Duration
}

// throughput measures the contenders in turns, and then the loops, which change the delays of the resident timers.
func (r *runner) throughput(members []*population) {
	if len(members) == 0 {
		return
	}
	r.collectGarbage(true)
	percent := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(percent)
	var tasks, loops []task
	var planned time.Duration // contenders that lack operations leave time for more turns
	for _, op := range r.ops {
		tasks = append(tasks, task{op, r.Goroutines[0], r.slice})
		for _, m := range members {
			warmUp, slice := m.times(op, r.slice)
			planned += time.Duration(r.turns) * (warmUp + slice)
		}
	}
	began := time.Now()
	for turn := range r.Turns {
		if turn >= minTurns && time.Since(began) > planned || r.ctx.Err() != nil {
			break // the time is over, or the run
		}
		r.takeTurn(members, tasks)
	}
	for _, loop := range results.Loops {
		for _, n := range r.Goroutines {
			loops = append(loops, task{loop.Op, n, r.loop})
		}
	}
	loopers := slices.DeleteFunc(slices.Clone(members), func(p *population) bool { return !p.loops() })
	for range r.loopTurns {
		r.takeTurn(loopers, loops)
	}
}

// takeTurn times each task once on every member, in random order of tasks and members.
func (r *runner) takeTurn(members []*population, tasks []task) {
	for _, t := range parallel.Shuffled(r.random, tasks) {
		for _, m := range parallel.Shuffled(r.random, members) {
			if !m.can(t.op) {
				continue
			}
			r.try(m.member, "throughput", func() error {
				s, err := m.slice(t.op, t.goroutines, t.length)
				if err != nil {
					return fmt.Errorf("%s by %d goroutines: %w", t.op, t.goroutines, err)
				}
				s.Turn = r.turn
				m.row.Throughput = append(m.row.Throughput, s)
				return nil
			})
		}
	}
	r.turn++
	r.collectGarbage(false)
}

func (r *runner) measureLateness(m *population, round int) error {
	rate := r.Rate
	if m.Limit > 0 {
		rate = min(rate, float64(m.Limit))
	}
	load := OpenLoop{Rate: rate, Delay: min(100*time.Millisecond, r.lateness/3), Seed: r.Seed, Tolerance: tolerance, Sleep: r.Sleep}
	load.Length = r.lateness - load.Delay
	late, wrong, err := load.run(r.ctx, m.Subject, m.system, m.form)
	late.Round, late.Rate = round, rate
	m.row.Lateness = append(m.row.Lateness, late)
	return errors.Join(err, wrong.Err())
}
