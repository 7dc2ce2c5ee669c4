package results

import "slices"

// Live has measurements of timers on a real clock. All rows with one number of resident timers come
// from one interleaved session.
type Live struct {
	Seed       uint64    `json:"seed"`
	Rounds     int       `json:"rounds"`     // each has many turns of a contender
	Goroutines []int     `json:"goroutines"` // of the throughput
	Rate       float64   `json:"rate"`       // timers started per second in the lateness load; lower for contenders with a limit
	Rows       []LiveRow `json:"rows"`
}

// Add adds the rows of an earlier session among numbers of resident timers that l does not have.
func (l *Live) Add(earlier *Live) {
	if earlier == nil {
		return
	}
	for _, n := range earlier.Residents() {
		if len(l.Among(n)) == 0 {
			l.Rows = append(l.Rows, earlier.Among(n)...)
			l.Goroutines = append(l.Goroutines, earlier.Goroutines...)
		}
	}
	slices.Sort(l.Goroutines)
	l.Goroutines = slices.Compact(l.Goroutines)
}

// LiveRow is one contender with a number of resident timers.
type LiveRow struct {
	Name       string           `json:"name"`
	Role       Role             `json:"role"`
	Structure  string           `json:"structure,omitempty"` // of a driver
	Resident   int              `json:"resident"`            // pending timers
	StopNS     float64          `json:"stop_delay_ns,omitempty"`
	MoveNS     float64          `json:"move_delay_ns,omitempty"` // 0: minutes
	Throughput []LiveThroughput `json:"throughput"`
	Lateness   []LiveLateness   `json:"lateness,omitempty"`
	Memory     []LiveMemory     `json:"memory,omitempty"`
}

// RolePeer is another implementation, such as the timer library of another project.
const RolePeer Role = "peer"

// LiveThroughput is one timed slice, in which goroutines run one operation concurrently.
type LiveThroughput struct {
	Turn       int     `json:"turn"` // adjacent slices of all contenders have the same turn
	Op         Op      `json:"op"`
	Goroutines int     `json:"goroutines"`
	Ops        int     `json:"ops"` // of all goroutines
	NS         float64 `json:"ns"`  // from the first operation to the last
	CPUNS      float64 `json:"cpu_ns,omitempty"`

	// Dead is the number of timers that were stopped or moved in the slice. A structure may keep an entry of each until
	// its old deadline. Due is the number of such deadlines that passed in the slice, of timers stopped or moved in it or just before.
	Dead int `json:"dead,omitempty"`
	Due  int `json:"due,omitempty"`
}

// LiveLateness is the distribution of the lateness of timers in one round, relative to the planned
// start of each timer.
type LiveLateness struct {
	Round  int     `json:"round"`
	Rate   float64 `json:"rate"` // timers started per second
	Timers int     `json:"timers"`
	P50    float64 `json:"p50_ns"`
	P90    float64 `json:"p90_ns"`
	P99    float64 `json:"p99_ns"`
	P999   float64 `json:"p999_ns"`
	Max    float64 `json:"max_ns"`
	Use    LiveUse `json:"use"` // during the round
}

// LiveUse is the resource use of the process over a time.
type LiveUse struct {
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"`       // 0: unknown
	Sleeps     int64   `json:"sleeps"`            // number of times a thread went to sleep; 0: unknown
	Wakeups    uint64  `json:"wakeups,omitempty"` // of the driver
}

// LiveMemory is the memory of resident timers of one form, without the references that the caller keeps.
type LiveMemory struct {
	Form      Form    `json:"form"`
	Bytes     float64 `json:"bytes"`      // per timer
	CollectNS float64 `json:"collect_ns"` // processor time that they add to a full garbage collection
}
