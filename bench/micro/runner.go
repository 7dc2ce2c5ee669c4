package micro

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
)

// runner puts one structure through a sequence.
type runner struct {
	sequence *Sequence
	entry    catalog.Entry
	s        structures.Scheduler[uint64]
	ids      []structures.ID // by key
	counts
}

// newRunner returns a runner without a structure. It has the array of IDs.
func (q *Sequence) newRunner(e catalog.Entry) *runner {
	return &runner{sequence: q, entry: e, ids: make([]structures.ID, q.keys)}
}

// fill makes the structure and fills it.
func (r *runner) fill() error {
	r.s = r.entry.New()
	r.do(&r.sequence.fill)
	return r.check(&r.sequence.fill)
}

// start returns a runner with a filled structure.
func (q *Sequence) start(e catalog.Entry) (*runner, error) {
	r := q.newRunner(e)
	return r, r.fill()
}

// time goes through a block and returns what a unit of it took, in nanoseconds.
func (r *runner) time(block int) (float64, error) {
	p := &r.sequence.blocks[block]
	start := time.Now()
	r.do(p)
	took := time.Since(start)
	return float64(took) / p.units, r.check(p)
}

// do makes the calls of a piece. This is the timed code. The value of a timer is its
// number in the script, as in the suite.
func (r *runner) do(p *piece) {
	s, ids, c := r.s, r.ids, r.counts
	for i := range p.runs {
		ops := p.runs[i].ops
		switch p.runs[i].loop {
		case schedule:
			for i := range ops {
				ids[ops[i].Key] = s.Schedule(ops[i].At, c.scheduled)
				c.scheduled++
			}
		case forget:
			for i := range ops {
				s.Schedule(ops[i].At, c.scheduled)
				c.scheduled++
			}
		case startStop:
			for i := 0; i < len(ops); i += 2 {
				if s.Cancel(s.Schedule(ops[i].At, c.scheduled)) {
					c.cancelled++
				}
				c.scheduled++
			}
		case cancel:
			for i := range ops {
				if s.Cancel(ids[ops[i].Key]) {
					c.cancelled++
				}
			}
		case reschedule:
			for i := range ops {
				if s.Reschedule(ids[ops[i].Key], ops[i].At) {
					c.moved++
				}
			}
		case pop:
			for i := range ops {
				for at := ops[i].At; ; c.fired++ {
					if _, ok := s.Pop(at); !ok {
						break
					}
				}
			}
		}
	}
	r.counts = c
}

// check holds what was done against the script. What a coarse structure has not
// fired yet must be pending.
func (r *runner) check(p *piece) error {
	want := p.want
	if !r.entry.Exact() {
		want.fired = min(want.fired, r.fired)
	}
	if r.counts != want {
		return r.wrong(fmt.Errorf("%+v, want %+v", r.counts, want))
	}
	if pending := r.scheduled - r.fired - r.cancelled; uint64(r.s.Len()) != pending {
		return r.wrong(fmt.Errorf("%d timers are pending, want %d", r.s.Len(), pending))
	}
	return nil
}

// wrong says what did something else than the script, and on what.
func (r *runner) wrong(err error) error {
	return fmt.Errorf("%s on %s among %d timers: %w", r.entry.Name, r.sequence.Workload.Name, r.sequence.N, err)
}

// stop ends what would outlive the runner.
func (r *runner) stop() {
	if s, ok := r.s.(interface{ Stop() }); ok {
		s.Stop()
	}
}
