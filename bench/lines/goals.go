package lines

// A Goal is what the best structure of the catalog shall take on a line at most.
// The figures are chosen: level with the best timer wheels in C, or ahead of them,
// as measured on one core of a server with 32 MB of cache.
type Goal struct {
	Line Line
	N    int
	NS   float64
}

// Goals returns the goals in absolute terms.
func Goals() []Goal {
	const million = 1_000_000
	return []Goal{
		{StartStop, million, 8}, {StartStop, 10 * million, 8},
		{Churn, million, 60}, {Churn, 10 * million, 80},
		{Reschedule, million, 30},
		{Hold, million, 40}, {Hold, 10 * million, 50},
		{FillDrain, million, 50}, {FillDrain, 10 * million, 60},
	}
}

// A RatioGoal is how many times as fast a structure shall be as another one.
type RatioGoal struct {
	Ours, Theirs string
	Lines        []Line // nil: all
	Times        float64
	Why          string
}

// RatioGoals returns the goals for heaps, trees and lists, among 10^6 timers.
func RatioGoals() []RatioGoal {
	hold := []Line{Hold}
	return []RatioGoal{
		{"minheap", "minheap-std", hold, 2, "container/heap"},
		{"quadheap", "minheap-std", hold, 2, "stands for libev's 4-heap, which holds in half the time of container/heap"},
		{"rbtree", "rbtree-gods", nil, 3, "emirpasic/gods"},
		{"skiplist", "skiplist-huandu", nil, 3, "huandu/skiplist"},
		{"minheap", "minheap-std", nil, 1, "never behind its twin"},
		{"quadheap", "minheap-std", nil, 1, "never behind its twin"},
		{"rbtree", "btree-google", nil, 1, "never behind another tree"},
	}
}

// Limits are the goals for what is not a line, for the best structure.
var Limits = struct {
	BytesPerTimer float64 // beyond the value, among 10^6
	GC            float64 // ms, of a full collection with 10^7 timers
	MaxCall       float64 // ms, among 10^7
	P999          float64 // us, among 10^7
	IdleTick      float64 // ns
	IdleSteps     float64 // us, all steps together
}{32, 2, 1, 2, 3, 80}

// Best returns the figure of the fastest structure on a line, Go's timers not
// counted; ok is false when there is none.
func Best(figures []Figure, line Line, n int) (best Figure, ok bool) {
	for _, f := range figures {
		if f.Line == line && f.N == n && f.Structure != "time" && (!ok || f.NS < best.NS) {
			best, ok = f, true
		}
	}
	return best, ok
}

// Of returns the figure of one structure.
func Of(figures []Figure, structure string, line Line, n int) (Figure, bool) {
	for _, f := range figures {
		if f.Structure == structure && f.Line == line && f.N == n {
			return f, true
		}
	}
	return Figure{}, false
}
