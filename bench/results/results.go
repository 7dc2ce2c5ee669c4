// Package results defines the results file of a run: its types, reading and writing,
// and the export in the format of Go's benchmarks.
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

// Format and Version identify a results file of timerbench. Files of another version are refused.
const (
	Format  = "timerbench-results"
	Version = 3
)

// TypicalN is the number of timers at which workloads of any size are compared first (chosen): as
// most programs have at most, and so few that a run of minutes decides.
const TypicalN = 10_000

// Run is the content of a results file: the environment and the parameters of a run,
// and every trial.
type Run struct {
	Format   string    `json:"format"`
	Version  int       `json:"version"`
	Created  time.Time `json:"created"`
	Complete bool      `json:"complete"`          // false: interrupted; the results so far are valid
	Seconds  float64   `json:"seconds,omitempty"` // time that it took, in all sessions of a resumed run
	Done     []string  `json:"done,omitempty"`    // names of the finished steps of an interrupted run

	NotMeasured []string    `json:"not_measured,omitempty"` // steps for which a budget left no time, in order
	Command     string      `json:"command,omitempty"`      // that made it, without where it is written to
	Environment Environment `json:"environment"`

	Parameters Parameters `json:"parameters"`
	Cells      []Cell     `json:"cells"`
	Failures   []Failure  `json:"failures,omitempty"`
	Idle       []Idle     `json:"idle"`
	Memory     []Memory   `json:"memory,omitempty"`
	Calls      []Calls    `json:"calls,omitempty"`
	Live       *Live      `json:"live,omitempty"`
	External   []External `json:"external,omitempty"` // programs of other languages that took part

	MemoryFloors []MemoryFloor `json:"memory_floors,omitempty"` // of a run of lean loops
}

// MemoryFloor is what a random access to one of N records of 32 bytes takes.
type MemoryFloor struct {
	N       int     `json:"n"`
	TouchNS float64 `json:"touch_ns"` // to read and write it, where nothing waits for it
	ChaseNS float64 `json:"chase_ns"` // to read it, where the record before names it
}

// Failure is a structure that broke its contract, and so has no row.
type Failure struct {
	Structure string `json:"structure"`
	Where     string `json:"where"`  // workload, size, seed
	Reason    string `json:"reason"` // the error
}

func (f Failure) Error() string {
	return fmt.Sprintf("%s fails the proof on %s: %s", f.Structure, f.Where, f.Reason)
}

// Environment describes the machine and the build of a run.
type Environment struct {
	Go         string  `json:"go"`
	OS         string  `json:"os"`
	Arch       string  `json:"arch"`
	ArchLevel  string  `json:"arch_level,omitempty"` // instructions of the build: GOAMD64=v1
	Kernel     string  `json:"kernel,omitempty"`     // its release
	CPU        string  `json:"cpu"`
	Cores      int     `json:"cores"`
	GOMAXPROCS int     `json:"gomaxprocs"`
	L1Data     int     `json:"l1d_bytes,omitempty"` // of one core; 0: not known, as below
	L2         int     `json:"l2_bytes,omitempty"`
	L3         int     `json:"l3_bytes,omitempty"`
	Memory     uint64  `json:"memory_bytes,omitempty"` // of the machine
	Version    string  `json:"version,omitempty"`      // of this module, as go version -m has it
	Revision   string  `json:"revision,omitempty"`     // its commit, where the build knows it
	ClockNS    float64 `json:"clock_ns"`               // cost of reading the clock once, median
	ClockStep  float64 `json:"clock_step_ns"`          // smallest difference the clock shows

	Machine []Finding `json:"machine,omitempty"` // how fit it was for measuring; empty: not examined
}

// Finding is one property of a machine that affects what is measured on it.
type Finding struct {
	Check   string `json:"check"`            // what was examined, such as "frequency governor"
	Value   string `json:"value"`            // what was found
	Verdict string `json:"verdict"`          // ok, warn or unavailable
	Advice  string `json:"advice,omitempty"` // what to do about it
}

// Parameters are the parameters of a run.
type Parameters struct {
	Profile    string   `json:"profile"` // smoke, normal or full
	Seed       uint64   `json:"seed"`
	Trials     int      `json:"trials"` // rounds that every contender of a cell gets; racing adds more
	Structures []string `json:"structures"`
	Workloads  []string `json:"workloads"`
	N          []int    `json:"n"`

	Budget    float64 `json:"budget_seconds,omitempty"` // time of the run within which racing adds rounds; 0: no racing
	Layouts   int     `json:"layouts,omitempty"`        // builds of the program with different code layouts in a session; 0: the program as it is
	Instances int     `json:"instances,omitempty"`      // fresh instances of each contender in a cell, at least
	Lean      bool    `json:"lean,omitempty"`           // loops that do nothing but the operations, of which only the counts are proved

	// Session names the session of a merged run whose parts took turns with those of
	// another build. Two results of one session can be compared as if they were one run.
	Session string `json:"session,omitempty"`

	// Repeat is the number of rounds after which the operations are the same again, in a
	// session; 0: each round has its own.
	Repeat int `json:"repeat,omitempty"`

	Scenarios map[string]string    `json:"scenarios,omitempty"` // texts of the files among the workloads, by name
	External  map[string]string    `json:"external,omitempty"`  // commands of the programs, by name
	Traces    map[string]Recording `json:"traces,omitempty"`    // among the workloads, by name
}

// Recording describes a trace: its source and its contents.
type Recording struct {
	File        string    `json:"file"`
	Description string    `json:"description,omitempty"`
	Recorded    time.Time `json:"recorded,omitzero"`
	Operations  uint64    `json:"operations"`
	Seconds     float64   `json:"seconds"`  // duration of the recording
	Resident    float64   `json:"resident"` // pending timers, on average
	CancelRate  float64   `json:"cancel_rate"`
}

// Named is a run and the name of its file, for errors.
type Named struct {
	Name string
	*Run
}

// Cell is one workload at one size. Its structures ran interleaved, so its rows can be
// compared with one another.
type Cell struct {
	Workload   string      `json:"workload"`
	Category   string      `json:"category,omitempty"` // program, synthetic, grid, custom or recorded
	Grid       *Grid       `json:"grid,omitempty"`     // its place in the comparison grid
	N          int         `json:"n"`                  // resident timers asked for
	Resident   float64     `json:"resident"`           // mean resident timers of the timed blocks, measured
	CancelRate float64     `json:"cancel_rate"`        // cancelled / (cancelled + fired), measured
	Unit       script.Unit `json:"unit"`               // unit of the cost
	TickNS     int64       `json:"tick_ns"`            // length of a tick of the workload
	Rows       []Row       `json:"rows"`
	Seconds    float64     `json:"seconds,omitempty"` // duration of the cell, proof and set-up included

	// Common is the number of passes that every contender got: fresh instances and their
	// rounds. The proofs are those after the last of them. 0: as many as Trials asks for.
	Common int `json:"common_passes,omitempty"`

	Race *Race `json:"race,omitempty"` // the record of the budget; nil: the run had none

	LeftOut []string `json:"left_out,omitempty"` // structures that took too long among fewer timers

	// Apart reports that the structures did not fit into memory together. They were measured
	// one after the other, so ratios between them may be off by what the machine does meanwhile.
	Apart bool `json:"apart,omitempty"`

	OtherSeeds []SeedProof `json:"other_seeds,omitempty"` // proofs under other seeds than the measured one
}

// Race is the record of what a budget did in a cell.
type Race struct {
	Rounds int `json:"rounds"` // replayed; a contender that dropped out has fewer
	Looks  int `json:"looks"`  // analyses of the data on which the end of the race rests
}

// Grid is the place of a workload in the comparison grid.
type Grid struct {
	Delays        string `json:"delays"`         // kind of the distribution of delays
	CancelPercent int    `json:"cancel_percent"` // of the timers, before they fire
}

// SeedProof is the proof of a cell under one seed, from a replay that is not timed.
type SeedProof struct {
	Seed  uint64       `json:"seed"`
	Proof script.Proof `json:"proof"`
	Rows  int          `json:"rows"`
	Agree int          `json:"agree"` // rows whose proof is equal; coarse rows are checked against their bound
}

// Role distinguishes the structures under test from the rows that check the harness.
type Role string

// The roles of a row.
const (
	RoleStructure Role = "structure" // from the catalog
	RoleFloor     Role = "floor"     // null scheduler: the cost of the harness itself
	RoleControl   Role = "control"   // A/A: a second instance of a structure, to show the noise
	RoleBaseline  Role = "baseline"  // Go's runtime timers
	RoleExternal  Role = "external"  // a program of another language, see External
)

var roles = []Role{RoleStructure, RoleFloor, RoleControl, RoleBaseline, RoleExternal}

// Row is one contender in one cell.
type Row struct {
	Structure string       `json:"structure"`
	Role      Role         `json:"role"`
	Of        string       `json:"of,omitempty"`     // for a control: the name of the structure
	Coarse    bool         `json:"coarse,omitempty"` // it fires late, so its proof is its own
	Cost      []Trial      `json:"cost"`             // trials timed as a whole
	ByKind    []Trial      `json:"by_kind"`          // trials timed by batch of operations of one kind
	Latency   []Latency    `json:"latency"`          // samples of single calls, by kind, of all trials
	Proof     script.Proof `json:"proof"`

	Stopped Stopped `json:"stopped,omitempty"` // why it got no more rounds

	// WithGC are trials with the garbage collector on and a heap of a program beside the
	// structure. Only the largest cells have them.
	WithGC []Trial `json:"with_gc,omitempty"`
}

// JoinedLate reports whether the row is that of a control that began after the passes that all
// have in common, with which the proof of a row is made. Its rounds were proved as all are.
func (r *Row) JoinedLate() bool { return r.Role == RoleControl && r.Proof == (script.Proof{}) }

// Stopped is the reason why a contender of a cell got no more rounds.
type Stopped string

// The reasons to stop.
const (
	StoppedDone    Stopped = ""        // it got all rounds that were asked for
	StoppedBeaten  Stopped = "beaten"  // it is certainly far behind the best
	StoppedSettled Stopped = "settled" // its place is known well enough
	StoppedBudget  Stopped = "budget"  // the time was spent
)

// Trial is one timed replay of one block.
//
// Trials are nested: a program has a code layout, each layout has instances of a
// contender, and each instance replays several rounds. All contenders of a cell replay
// the same block in the same round, so their trials can be compared in pairs.
type Trial struct {
	Layout     int        `json:"layout,omitempty"`   // of the program; 0: as linked by default
	Instance   int        `json:"instance,omitempty"` // fresh instance of the contender, counted over all layouts of the cell
	Round      int        `json:"round"`              // unique in the cell, over all instances and layouts
	NS         float64    `json:"ns"`                 // all of the block
	Ops        int        `json:"ops"`                // calls that schedule, cancel, reschedule or fire
	Wakes      int        `json:"wakes"`              // wake-ups: ticks at which Pop was called until nothing was due
	Units      float64    `json:"units"`              // number of units (Cell.Unit)
	Allocs     uint64     `json:"allocs"`             // objects allocated during the block
	AllocBytes uint64     `json:"alloc_bytes"`        //
	Kinds      []KindTime `json:"kinds,omitempty"`    // in ByKind trials
}

// KindTime is the time of the operations of one kind in one trial, without the cost of
// reading the clock.
type KindTime struct {
	Kind       script.Kind `json:"kind"`
	Count      int         `json:"count"`
	NS         float64     `json:"ns"`          // without the cost of the clock reads
	ClockReads int         `json:"clock_reads"` // number of clock reads
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
	Quantiles []Quantile  `json:"quantiles"` // points of the curve, denser towards 1
}

// Quantile is one point of a latency curve.
type Quantile struct {
	Q  float64 `json:"q"`
	NS float64 `json:"ns"`
}

// Driver determines when a structure is woken.
type Driver string

// The two drivers of the idle analysis.
const (
	Ticking  Driver = "ticking"  // wakes at every tick
	Tickless Driver = "tickless" // wakes at the tick that Next names
)

// Idle counts the wake-ups of one structure under one driver. The counts come from a
// pass that is not timed. They are exact and the same on any machine.
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
	NS           float64         `json:"ns,omitempty"` // time of the whole script, its schedules included: the shortest of several passes

	Lateness *Lateness `json:"lateness,omitempty"` // of a coarse structure, under the ticking driver
}

// Memory is the memory of one structure, with values of 8 bytes and uniform delays.
type Memory struct {
	Structure  string  `json:"structure"`
	N          int     `json:"n"`           // pending timers
	EmptyBytes float64 `json:"empty_bytes"` // of the empty structure, in total
	Bytes      float64 `json:"bytes"`       // per timer after the fill, values included
	AgedBytes  float64 `json:"aged_bytes"`  // per timer after Replaced timers were replaced
	Replaced   int     `json:"replaced"`    // timers that were cancelled at random and replaced
	CollectNS  float64 `json:"collect_ns"`  // time that the structure adds to a full garbage collection, after the replacements
}

// Lateness is the lateness of the timers of a coarse structure, in ticks and as a share
// of the delay.
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
