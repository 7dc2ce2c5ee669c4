package entry

// Growth is an upper bound of how the work of an operation grows with the number of pending timers.
type Growth int

// The growths, from the slowest to the fastest.
const (
	Constant    Growth = iota + 1 // O(1)
	LogDistinct                   // O(log k), for k different deadlines, or delays, among the pending timers
	Logarithmic                   // O(log n)
	Linear                        // O(n)
)

// String returns the growth in the usual notation.
func (g Growth) String() string { return [...]string{"", "O(1)", "O(log k)", "O(log n)", "O(n)"}[g] }

// Cost is the cost of an operation. A test of schedtest compares its growth with the counters of work.
type Cost struct {
	Growth Growth
	In     string // the quantity in the O notation, if not the one of Growth: "levels"
	Note   string // "amortized", "expected", "a tick"
}

// String returns the cost as in tables.
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

// Costs has the costs of the operations of a structure with n pending timers.
type Costs struct{ Schedule, Cancel, Pop Cost }

// Linear reports whether the work of an operation grows with the number of pending timers.
func (c Costs) Linear() bool {
	for _, of := range []Cost{c.Schedule, c.Cancel, c.Pop} {
		if of.Growth == Linear && of.In == "" {
			return true
		}
	}
	return false
}
