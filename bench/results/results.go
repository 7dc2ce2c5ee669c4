// Package results is the file of a run: its types, how it is read and written, and
// its export in the format of Go's benchmarks.
//
// A [Run] holds a [Cell] for each workload at each size. A cell holds a [Row] for
// each contender, and a row every [Trial] that was timed.
package results

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// Format and Version mark a results file as one of ours.
const (
	Format  = "timerbench-results"
	Version = 1
)

// Run is everything one run has found out: where it ran, what it was asked,
// and every trial. It is the content of a results file.
type Run struct {
	Format      string      `json:"format"`
	Version     int         `json:"version"`
	Created     time.Time   `json:"created"`
	Complete    bool        `json:"complete"` // false: interrupted, what is there is valid
	Environment Environment `json:"environment"`
	Parameters  Parameters  `json:"parameters"`
	Cells       []Cell      `json:"cells"`
	Failures    []Failure   `json:"failures,omitempty"` // of contenders, which have no rows there
	Idle        []Idle      `json:"idle"`
	Memory      []Memory    `json:"memory,omitempty"`
	Live        *Live       `json:"live,omitempty"`
}

// Failure is a structure that broke its contract, and so has no row.
type Failure struct {
	Structure string `json:"structure"`
	Where     string `json:"where"`  // workload, size, seed
	Reason    string `json:"reason"` // what was wrong
}

func (f Failure) Error() string {
	return fmt.Sprintf("%s fails the proof on %s: %s", f.Structure, f.Where, f.Reason)
}

// Environment says on what a run was made.
type Environment struct {
	Go         string  `json:"go"`
	OS         string  `json:"os"`
	Arch       string  `json:"arch"`
	CPU        string  `json:"cpu"`
	Cores      int     `json:"cores"`
	GOMAXPROCS int     `json:"gomaxprocs"`
	Version    string  `json:"version,omitempty"`  // of this module, as go version -m has it
	Revision   string  `json:"revision,omitempty"` // its commit, where the build knows it
	ClockNS    float64 `json:"clock_ns"`           // cost of reading the clock once, median
	ClockStep  float64 `json:"clock_step_ns"`      // smallest difference the clock shows
}

// Parameters says what a run was asked to do.
type Parameters struct {
	Profile    string   `json:"profile"` // smoke, normal or full
	Seed       uint64   `json:"seed"`
	Trials     int      `json:"trials"` // timed trials of each kind per structure and cell
	Structures []string `json:"structures"`
	Workloads  []string `json:"workloads"`
	N          []int    `json:"n"`

	// Scenarios are the texts of the scenario files among the workloads, by name.
	Scenarios map[string]string `json:"scenarios,omitempty"`

	// Traces say what the traces among the workloads are, by name.
	Traces map[string]Recording `json:"traces,omitempty"`
}

// Recording is where a trace comes from and what it holds.
type Recording struct {
	File        string    `json:"file"`
	Description string    `json:"description,omitempty"`
	Recorded    time.Time `json:"recorded,omitzero"`
	Operations  uint64    `json:"operations"`
	Seconds     float64   `json:"seconds"`  // that it covers
	Resident    float64   `json:"resident"` // pending timers, on average
	CancelRate  float64   `json:"cancel_rate"`
}

// Cell is one workload at one size, run on every structure in one interleaved
// session: its rows can be compared with one another.
type Cell struct {
	Workload   string      `json:"workload"`
	Category   string      `json:"category,omitempty"` // what the workload stands for: program, synthetic, grid, custom or recorded
	Grid       *Grid       `json:"grid,omitempty"`     // its place in the comparison grid
	N          int         `json:"n"`                  // resident timers asked for
	Resident   float64     `json:"resident"`           // mean resident timers measured over the timed part
	CancelRate float64     `json:"cancel_rate"`        // cancelled / (cancelled + fired), measured
	Unit       script.Unit `json:"unit"`               // what a cost is divided by
	TickNS     int64       `json:"tick_ns"`            // length of the tick that the workload models
	Rows       []Row       `json:"rows"`

	// OtherSeeds are the proofs of the same workload at the same size under seeds
	// besides the one that was measured.
	OtherSeeds []SeedProof `json:"other_seeds,omitempty"`
}

// Grid is the place of a workload in the comparison grid.
type Grid struct {
	Delays        string `json:"delays"`         // kind of the distribution
	CancelPercent int    `json:"cancel_percent"` // of the timers, before they fire
}

// SeedProof is what all rows of a cell agreed on under one seed, in a replay that
// is not timed.
type SeedProof struct {
	Seed  uint64       `json:"seed"`
	Proof script.Proof `json:"proof"`
	Rows  int          `json:"rows"`
	Agree int          `json:"agree"` // with all of the proof; coarse rows keep their bound instead
}

// Role tells the structures under test from the rows that judge the harness.
type Role string

// The roles of a row.
const (
	RoleStructure Role = "structure" // from the catalog
	RoleFloor     Role = "floor"     // null scheduler: what the harness itself costs
	RoleControl   Role = "control"   // A/A: a second instance of a structure, to show the noise
	RoleBaseline  Role = "baseline"  // Go's runtime timers
)

var roles = []Role{RoleStructure, RoleFloor, RoleControl, RoleBaseline}

// Row is one contender in one cell.
type Row struct {
	Structure     string       `json:"structure"`
	Role          Role         `json:"role"`
	Of            string       `json:"of,omitempty"`    // for a control: the structure that it repeats
	BytesPerTimer float64      `json:"bytes_per_timer"` // heap in use after the fill, per resident timer; 0: not measured
	CollectNS     float64      `json:"collect_ns"`      // what the fill adds to a full garbage collection
	Cost          []Trial      `json:"cost"`            // timed whole: no clock read inside
	ByKind        []Trial      `json:"by_kind"`         // timed by batch of operations of one kind
	Latency       []Latency    `json:"latency"`         // stamped samples, by kind, all trials together
	Proof         script.Proof `json:"proof"`
}

// Trial is one timed replay of one block.
type Trial struct {
	Round      int        `json:"round"`
	NS         float64    `json:"ns"`              // all of the block
	Ops        int        `json:"ops"`             // calls that schedule, cancel, reschedule or fire
	Wakes      int        `json:"wakes"`           // ticks at which it was popped until nothing was due
	Units      float64    `json:"units"`           // what the cell counts (Cell.Unit) of what was done
	Allocs     uint64     `json:"allocs"`          // objects allocated during the block
	AllocBytes uint64     `json:"alloc_bytes"`     //
	Kinds      []KindTime `json:"kinds,omitempty"` // in ByKind trials
}

// KindTime is the time that operations of one kind took in one trial, the cost
// of reading the clock taken off.
type KindTime struct {
	Kind       script.Kind `json:"kind"`
	Count      int         `json:"count"`
	NS         float64     `json:"ns"`          // clock reads taken off
	ClockReads int         `json:"clock_reads"` // how many were taken off
}

// Latency is the distribution of single calls of one kind, in nanoseconds. Each
// sample includes one reading of the clock (Environment.ClockNS).
type Latency struct {
	Kind      script.Kind `json:"kind"`
	Samples   int64       `json:"samples"`
	Mean      float64     `json:"mean_ns"`
	P50       float64     `json:"p50_ns"`
	P90       float64     `json:"p90_ns"`
	P99       float64     `json:"p99_ns"`
	P999      float64     `json:"p999_ns"`
	Max       float64     `json:"max_ns"`
	Quantiles []Quantile  `json:"quantiles"` // for the curve: more of them towards 1
}

// Quantile is one point of a latency curve.
type Quantile struct {
	Q  float64 `json:"q"`
	NS float64 `json:"ns"`
}

// Driver says when a structure is woken.
type Driver string

// The two drivers of the idle analysis.
const (
	Ticking  Driver = "ticking"  // wakes at every tick
	Tickless Driver = "tickless" // wakes at the tick that Next names
)

// Idle counts the wake-ups of one structure under one driver. The counts are exact, the
// same on any machine, from a pass that is not timed.
type Idle struct {
	Workload     string          `json:"workload"`
	Distribution string          `json:"distribution"` // of the delays, as charts name it
	N            int             `json:"n"`
	Structure    string          `json:"structure"`
	Driver       Driver          `json:"driver"`
	Ticks        uint64          `json:"ticks"` // virtual time covered
	Wakeups      uint64          `json:"wakeups"`
	Fired        uint64          `json:"fired"`
	Empty        uint64          `json:"idle_empty"`   // idle wake-ups on which nothing was done
	Moved        uint64          `json:"idle_moved"`   // idle wake-ups that only moved timers
	Dropped      uint64          `json:"idle_dropped"` // idle wake-ups that only dropped stale entries
	Work         structures.Work `json:"work"`
	NS           float64         `json:"ns,omitempty"` // of the whole script, its schedules included: the shortest of some passes

	Lateness *Lateness `json:"lateness,omitempty"` // of a coarse structure, under the ticking driver
}

// Memory is what the timers of one structure take, with values of 8 bytes and uniform
// delays.
type Memory struct {
	Structure  string  `json:"structure"`
	N          int     `json:"n"`           // pending timers
	EmptyBytes float64 `json:"empty_bytes"` // of a structure without timers, in all
	Bytes      float64 `json:"bytes"`       // per timer, values included, once filled
	AgedBytes  float64 `json:"aged_bytes"`  // the same after so many timers were replaced
	Replaced   int     `json:"replaced"`    // timers that were cancelled at random, each with another one scheduled
	CollectNS  float64 `json:"collect_ns"`  // what the aged structure adds to a full garbage collection
}

// Lateness is how late a coarse structure fired its timers: in ticks, and as a
// share of the delay.
type Lateness struct {
	Mean      float64 `json:"mean_ticks"`
	P99       float64 `json:"p99_ticks"`
	Max       float64 `json:"max_ticks"`
	MeanShare float64 `json:"mean_share"`
	P99Share  float64 `json:"p99_share"`
	MaxShare  float64 `json:"max_share"`
}

// Total returns the number of wake-ups on which nothing fired.
func (i Idle) Total() uint64 { return i.Empty + i.Moved + i.Dropped }
