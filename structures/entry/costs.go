package entry

// Growth is how the work of an operation grows with the number of pending timers, at most.
type Growth int

// The growths, the slowest first.
const (
	Constant    Growth = iota + 1 // O(1)
	LogDistinct                   // O(log k), for k different deadlines, or delays, among the pending timers
	Logarithmic                   // O(log n)
	Linear                        // O(n)
)

// String returns the growth in the usual notation.
func (g Growth) String() string {
	return [...]string{"", "O(1)", "O(log k)", "O(log n)", "O(n)"}[g]
}

// Cost is what an operation costs. A test of schedtest holds its growth against counters of work.
type Cost struct {
	Growth Growth
	In     string // what it is proportional to, where that is more than the growth says: "levels"
	Note   string // "amortised", "expected", "a tick"
}

// String returns the cost as tables show it.
func (c Cost) String() string {
	s := c.Growth.String()
	if c.In != "" {
		s = "O(" + c.In + ")"
	}
	if c.Note != "" {
		s += " " + c.Note
	}
	return s
}

// Costs are the costs of a structure with n pending timers.
type Costs struct{ Schedule, Cancel, Pop Cost }
