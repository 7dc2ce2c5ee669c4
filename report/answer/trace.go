package answer

import (
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// QuestionOf returns the question that describes a recorded program.
func QuestionOf(s *tracestat.Summary) Question {
	q := Question{N: max(1, s.Resident), Cancel: s.CancelRate, Recorded: true}
	if s.Totals.Fired == 0 {
		q.Cancel = 1
	}
	q.Delays = workload.ShapeOf(s.Set().Quantiles())
	ops := s.Totals.Ops
	calls := float64(ops[trace.Schedule] + ops[trace.Cancel] + ops[trace.Reschedule] + s.Totals.Fired)
	if calls > 0 {
		q.Reschedule = float64(ops[trace.Reschedule]) / calls
	}
	if seconds := float64(s.Totals.Span()) * s.Header.Tick.Seconds(); seconds > 0 {
		q.Rate = Rate{
			Timers: float64(ops[trace.Schedule]) / seconds, Moves: float64(ops[trace.Reschedule]) / seconds, Calls: s.Rate(),
		}
	}
	if wakes := float64(ops[trace.Advance]); wakes > 0 {
		q.PerWake = calls / wakes
	}
	return q
}
