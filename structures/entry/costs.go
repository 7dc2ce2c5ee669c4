package entry

import "slices"

// Costs has upper bounds of how the work of the operations grows with the number n of pending timers, as tables show them:
// "O(log n) amortized". k is the number of different deadlines, or delays, among the pending timers. A test of schedtest
// compares the bounds with the counters of work.
type Costs struct{ Schedule, Cancel, Pop string }

// Linear reports whether the work of an operation grows with the number of pending timers.
func (c Costs) Linear() bool { return slices.Contains([]string{c.Schedule, c.Cancel, c.Pop}, "O(n)") }
