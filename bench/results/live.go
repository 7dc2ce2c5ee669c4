package results

import (
	"fmt"
	"slices"
)

// Live is what was measured of timers that run by a real clock. All rows of one number
// of resident timers are of one interleaved session.
type Live struct {
	Seed       uint64    `json:"seed"`
	Rounds     int       `json:"rounds"`     // in each, contenders take many turns
	Goroutines []int     `json:"goroutines"` // of the throughput
	Rate       float64   `json:"rate"`       // timers started a second, of the lateness; less for who is made for few
	IdleTimers int       `json:"idle_timers"`
	Rows       []LiveRow `json:"rows"`
}

// LiveRow is one contender among so many resident timers.
type LiveRow struct {
	Name       string           `json:"name"`
	Role       Role             `json:"role"`
	Structure  string           `json:"structure,omitempty"` // of a driver
	Driver     Driver           `json:"driver,omitempty"`    // of a driver
	Shards     int              `json:"shards,omitempty"`    // of a driver; 0: its default
	Resident   int              `json:"resident"`            // timers pending meanwhile
	Check      LiveCheck        `json:"check"`
	Throughput []LiveThroughput `json:"throughput"`
	Lateness   []LiveLateness   `json:"lateness,omitempty"`
	Idle       []LiveUse        `json:"idle"`
	Memory     []LiveMemory     `json:"memory,omitempty"`
}

// RolePeer is somebody else's timers.
const RolePeer Role = "peer"

// LiveCheck counts what a contender did in the check, none of which was wrong.
type LiveCheck struct {
	Started int `json:"started"`
	Stopped int `json:"stopped"`
	Moved   int `json:"moved"`
	Fired   int `json:"fired"`
}

// LiveThroughput is one timed slice: goroutines that do the same at the same time.
type LiveThroughput struct {
	Turn       int     `json:"turn"` // the same for all contenders whose slices were next to one another
	Op         Op      `json:"op"`
	Goroutines int     `json:"goroutines"`
	Ops        int     `json:"ops"` // of all goroutines
	NS         float64 `json:"ns"`  // from the first to the last
	CPUNS      float64 `json:"cpu_ns,omitempty"`
	AllocBytes uint64  `json:"alloc_bytes"`
}

// PerSecond returns the operations a second.
func (t LiveThroughput) PerSecond() float64 { return float64(t.Ops) / t.NS * 1e9 }

// LiveLateness is the distribution of how late timers fired in one round, counted from
// the time at which they were to be started.
type LiveLateness struct {
	Round     int        `json:"round"`
	Rate      float64    `json:"rate"` // timers started a second
	Timers    int        `json:"timers"`
	P50       float64    `json:"p50_ns"`
	P90       float64    `json:"p90_ns"`
	P99       float64    `json:"p99_ns"`
	P999      float64    `json:"p999_ns"`
	Max       float64    `json:"max_ns"`
	Quantiles []Quantile `json:"quantiles"`
	Use       LiveUse    `json:"use"` // meanwhile
}

// LiveUse is what the process used over a time.
type LiveUse struct {
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"`       // 0: not known
	Sleeps     int64   `json:"sleeps"`            // times that a thread went to sleep; 0: not known
	Wakeups    uint64  `json:"wakeups,omitempty"` // of the driver
}

// LiveMemory is what resident timers of one form take, without what the caller keeps to
// name them.
type LiveMemory struct {
	Form      Form    `json:"form"`
	Bytes     float64 `json:"bytes"`      // a timer
	CollectNS float64 `json:"collect_ns"` // what they add to the processor time of a full garbage collection
}

// validate refuses what a report could not show.
func (l *Live) validate() error {
	seen := make(map[string]bool)
	for _, row := range l.Rows {
		where := fmt.Sprintf("live, %s, %d resident", row.Name, row.Resident)
		switch {
		case row.Name == "" || row.Role == "" || row.Resident < 1:
			return fmt.Errorf("%s: want a name, a role and at least 1 resident timer", where)
		case seen[where]:
			return fmt.Errorf("%s: the row is there twice", where)
		}
		seen[where] = true
		for _, t := range row.Throughput {
			if t.Op == "" || t.Goroutines < 1 || t.Ops < 1 || t.NS <= 0 {
				return fmt.Errorf("%s, turn %d: %d operations %q of %d goroutines in %g ns",
					where, t.Turn, t.Ops, t.Op, t.Goroutines, t.NS)
			}
		}
		for _, d := range row.Lateness {
			percentiles := []float64{d.P50, d.P90, d.P99, d.P999, d.Max}
			if d.Timers < 1 && row.Role != RoleFloor || !slices.IsSorted(percentiles) {
				return fmt.Errorf("%s, round %d: the percentiles of the lateness of %d timers fall",
					where, d.Round, d.Timers)
			}
		}
		for _, u := range row.Idle {
			if u.Seconds <= 0 || u.CPUSeconds < 0 || u.Sleeps < 0 {
				return fmt.Errorf("%s: idle for %g s with %g s of processor time and %d sleeps",
					where, u.Seconds, u.CPUSeconds, u.Sleeps)
			}
		}
		for _, m := range row.Memory {
			if m.Form == "" || m.Bytes < 0 || m.CollectNS < 0 {
				return fmt.Errorf("%s: %g bytes, %g ns of collection for timers of form %q",
					where, m.Bytes, m.CollectNS, m.Form)
			}
		}
	}
	return nil
}
