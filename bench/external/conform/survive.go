package conform

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/script"
)

// abandoned is how many timers a program must survive that are cancelled long before their deadlines (chosen).
const abandoned = 1_000_000

// abandon schedules timers an hour ahead and cancels them, among a few that stay. A tick passes for each thousand of them,
// so no deadline comes near.
type abandon struct{ done int }

const hour = 3_600_000 // ticks of a millisecond

func (abandon) Fill(w *script.Writer, _ *script.Rand) {
	for i := range tick(10) {
		w.Schedule(2*hour + i)
	}
}

func (a *abandon) Step(w *script.Writer, _ *script.Rand) {
	w.Cancel(w.Schedule(w.Now() + hour))
	if a.done++; a.done%1000 == 0 {
		w.Advance(w.Now() + 1)
	}
}

// survive checks that a program survives many cancelled timers, and notes by how many bytes each makes it grow: a structure
// may keep dead entries until their deadlines. It ends when the time is over.
func (k *kit) survive(deadline time.Time) *Failure {
	const block = 40_000 // operations
	failed := func(err error) *Failure {
		return &Failure{Check: fmt.Sprintf("%d cancelled timers", abandoned), What: err.Error()}
	}
	err := k.ready()
	if err != nil {
		return failed(err)
	}
	a := &abandon{}
	s := script.New(a, script.NewRand(1, 1), 0)
	b := s.Fill()
	err = k.program.Begin(b.Keys + 1)
	first, from, known := uint64(0), 0, false
	for ; err == nil; b = s.Next(block, nil) {
		if _, err = k.program.Replay(b, true); err != nil {
			break
		}
		if bytes, ok := k.program.Memory(); from == 0 && a.done >= abandoned/10 { // its buffers have grown
			first, from, known = bytes, a.done, ok
		}
		if a.done >= abandoned+from || time.Now().After(deadline) {
			break
		}
	}
	if err != nil {
		return failed(err)
	}
	note := func(format string, args ...any) {
		k.verdict.Notes = append(k.verdict.Notes, fmt.Sprintf(format, args...))
	}
	count := a.done - from
	last, ok := k.program.Memory()
	if !known || !ok || from == 0 || count == 0 {
		note("%d timers were cancelled long before their deadlines; this system does not tell whether its memory grew", a.done)
		return nil
	}
	grew := max(0, (float64(last)-float64(first))/float64(count))
	if k.verdict.Grew = grew; grew >= grows {
		note("it grows by %.0f bytes for each timer that is cancelled long before its deadline (%d were), as a structure does that "+
			"keeps dead entries until then", grew, count)
	} else {
		note("it does not grow by %d timers that are cancelled long before their deadlines", count)
	}
	return nil
}

// grows is the least growth that is reported, in bytes for each cancelled timer (chosen): a dead entry takes 8 or more.
const grows = 6
