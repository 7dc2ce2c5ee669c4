package trace_test

import (
	"bytes"
	"fmt"
	"sync"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/trace"
)

// timers stands between a program and time.AfterFunc. The structure beside it is
// told what happens, so that it can be recorded.
type timers struct {
	mu      sync.Mutex
	beside  structures.Scheduler[struct{}]
	started time.Time
}

type timer struct {
	*time.Timer
	of *timers
	id structures.ID
}

// now brings the structure to the present: what is due by now fires.
func (t *timers) now() structures.Tick {
	now := ticks(time.Since(t.started))
	for range structures.Due(t.beside, now) {
	}
	return now
}

func ticks(d time.Duration) structures.Tick { return structures.Tick(d / time.Millisecond) }

func (t *timers) AfterFunc(d time.Duration, f func()) *timer {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := t.beside.Schedule(t.now()+ticks(d), struct{}{})
	return &timer{time.AfterFunc(d, f), t, id}
}

func (t *timer) Stop() bool {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.of.now()
	t.of.beside.Cancel(t.id)
	return t.Timer.Stop()
}

func (t *timer) Reset(d time.Duration) bool {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	deadline := t.of.now() + ticks(d)
	if !t.of.beside.Reschedule(t.id, deadline) {
		t.id = t.of.beside.Schedule(deadline, struct{}{})
	}
	return t.Timer.Reset(d)
}

// A program that uses time.AfterFunc can be recorded with a structure beside it,
// which is told of each AfterFunc, Stop and Reset.
func Example_afterFunc() {
	var file bytes.Buffer // a program calls trace.FromEnv instead, and its stop at the end
	w, err := trace.NewWriter(&file, trace.Header{Name: "my-server", Tick: time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	recorder := trace.NewRecorder(hwheel.New[struct{}](), w)
	timers := &timers{beside: recorder, started: time.Now()}

	session := timers.AfterFunc(time.Hour, func() {})
	request := timers.AfterFunc(time.Minute, func() {})
	session.Reset(2 * time.Hour)
	request.Stop()

	if err := recorder.Close(); err != nil {
		fmt.Println(err)
		return
	}
	totals := w.Totals()
	fmt.Println("scheduled", totals.Ops[trace.Schedule], "moved", totals.Ops[trace.Reschedule], "cancelled", totals.Ops[trace.Cancel])
	// Output: scheduled 2 moved 1 cancelled 1
}
