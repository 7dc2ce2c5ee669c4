package trace_test

import (
	"fmt"
	"io"
	"time"

	"github.com/timerbench/timerbench/trace"
)

// A program that uses time.AfterFunc calls AfterFunc of Timers instead. It would use TimersFromEnv,
// which records only on demand. This example always records.
func ExampleTimers() {
	w, err := trace.NewWriter(io.Discard, trace.Header{Name: "my-server", Tick: time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	timers := trace.NewTimers(w)

	session := timers.AfterFunc(time.Hour, func() { fmt.Println("the session ends") })
	request := timers.AfterFunc(time.Minute, func() { fmt.Println("the request takes too long") })
	session.Reset(2 * time.Hour)
	request.Stop()

	if err := timers.Close(); err != nil {
		fmt.Println(err)
		return
	}
	totals := w.Totals()
	fmt.Println("scheduled", totals.Ops[trace.Schedule], "moved", totals.Ops[trace.Reschedule], "cancelled", totals.Ops[trace.Cancel])
	// Output: scheduled 2 moved 1 cancelled 1
}
