// Package results defines the content of a results file: the data of a run, without statistics. Package store writes and
// reads the files.
//
// A [Run] has a [Cell] for each workload at each size. A cell has a [Row] for
// each contender, and a row has a [Trial] for each timed replay of a block.
package results

import (
	"fmt"
	"strings"
	"time"

	"github.com/timerbench/timerbench/bench/script"
)

// Format and Version identify a results file of timerbench. Read refuses other versions.
const (
	Format  = "timerbench-results"
	Version = 4
)

// TypicalN is the number of timers at which the report compares workloads of any size first (chosen).
// Most programs have fewer, and a run of minutes gives clear answers there.
const TypicalN = 10_000

// Run is the content of a results file: environment, parameters and measurements.
type Run struct {
	Format   string    `json:"format"`
	Version  int       `json:"version"`
	Created  time.Time `json:"created"`
	Complete bool      `json:"complete"`          // false: interrupted; the results so far are valid
	Seconds  float64   `json:"seconds,omitempty"` // duration, of all sessions of a resumed run
	Done     []string  `json:"done,omitempty"`    // names of the finished steps of an interrupted run

	NotMeasured []string    `json:"not_measured,omitempty"` // steps for which the budget left no time, in order
	Command     string      `json:"command,omitempty"`      // command line of the run, without the place of the results
	Environment Environment `json:"environment"`

	Parameters Parameters  `json:"parameters"`
	Cells      []Cell      `json:"cells"`
	Failures   []Failure   `json:"failures,omitempty"`
	IdleTicks  []IdleTicks `json:"idle_ticks,omitempty"`
	Memory     []Memory    `json:"memory,omitempty"`
	Calls      []Calls     `json:"calls,omitempty"`
	Live       *Live       `json:"live,omitempty"`
	External   []External  `json:"external,omitempty"` // programs of other languages that took part
}

// New returns a run without measurements.
func New(e Environment, p Parameters) *Run {
	return &Run{Format: Format, Version: Version, Created: time.Now().UTC().Truncate(time.Second), Environment: e, Parameters: p, Cells: []Cell{}}
}

// Failure is a structure that broke its contract. It has no row in that cell.
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
	Kernel     string  `json:"kernel,omitempty"`     // release
	CPU        string  `json:"cpu"`
	Cores      int     `json:"cores"`
	GOMAXPROCS int     `json:"gomaxprocs"`
	L1Data     int     `json:"l1d_bytes,omitempty"` // of one core; 0: unknown, as for L2 and L3
	L2         int     `json:"l2_bytes,omitempty"`
	L3         int     `json:"l3_bytes,omitempty"`
	Memory     uint64  `json:"memory_bytes,omitempty"` // of the machine
	Version    string  `json:"version,omitempty"`      // of this module, as in go version -m
	Revision   string  `json:"revision,omitempty"`     // commit of this module, if the build knows it
	ClockNS    float64 `json:"clock_ns"`               // median cost of one reading of the clock
	ClockStep  float64 `json:"clock_step_ns"`          // smallest step of the clock

	Machine []Finding `json:"machine,omitempty"` // findings of timerbench doctor; empty: not examined
}

// Build returns the version and the commit of the build, as pages show them: "v0.1.0, revision 0123456789ab". It
// omits a version that Go has derived from the commit.
func (e Environment) Build() string {
	var parts []string
	if e.Version != "" && !strings.ContainsAny(e.Version, "-(") {
		parts = append(parts, e.Version)
	}
	if e.Revision != "" {
		commit, changed := strings.CutSuffix(e.Revision, "+dirty")
		short := "revision " + commit[:min(12, len(commit))]
		if changed {
			short += " with changes"
		}
		parts = append(parts, short)
	}
	return strings.Join(parts, ", ")
}

// Finding is the outcome of one check of a machine, see timerbench doctor.
type Finding struct {
	Check   string `json:"check"`            // such as "frequency"
	Value   string `json:"value"`            // the observation
	Verdict string `json:"verdict"`          // ok, warn or unavailable
	Advice  string `json:"advice,omitempty"` // what to do about it
}

// Parameters are the parameters of a run.
type Parameters struct {
	Profile    string   `json:"profile"` // name, such as "normal"
	Seed       uint64   `json:"seed"`
	Trials     int      `json:"trials"` // rounds of each contender of a cell, without a budget
	Structures []string `json:"structures"`
	Workloads  []string `json:"workloads"`
	N          []int    `json:"n"`

	Budget  float64 `json:"budget_seconds,omitempty"` // see bench.Config; 0: none
	Layouts int     `json:"layouts,omitempty"`        // number of code layouts in a session; 0: the default layout

	// Session is the name of a compare.Session, in which two builds took turns. The two results of
	// a session can be compared like the rows of one run.
	Session string `json:"session,omitempty"`

	// Repeat is the number of rounds after which the operations of a session repeat; 0: each round has
	// its own operations.
	Repeat int `json:"repeat,omitempty"`

	Scenarios map[string]string    `json:"scenarios,omitempty"` // texts of scenario files, by workload
	External  map[string]string    `json:"external,omitempty"`  // command lines of programs, by name
	Traces    map[string]Recording `json:"traces,omitempty"`    // by workload
}

// Recording describes a trace: its source and its contents.
type Recording struct {
	File        string    `json:"file"`
	Description string    `json:"description,omitempty"`
	Recorded    time.Time `json:"recorded,omitzero"`
	Operations  uint64    `json:"operations"`
	Seconds     float64   `json:"seconds"`  // duration of the recording
	Resident    float64   `json:"resident"` // mean number of pending timers
	CancelRate  float64   `json:"cancel_rate"`
	Delays      string    `json:"delays,omitempty"` // shape of the delays, as script.Place names it
}

// Named is a run with the name of its file.
type Named struct {
	Name string
	*Run
}

// Cell is one workload at one size. The structures ran interleaved, so the rows can be compared.
type Cell struct {
	Workload   string        `json:"workload"`
	Definition int           `json:"definition"`         // number of the workload's sequence of operations, from 1
	Category   string        `json:"category,omitempty"` // program, synthetic, grid, custom or recorded
	Grid       *script.Place `json:"grid,omitempty"`     // place in the comparison grid; nil: none
	N          int           `json:"n"`                  // number of resident timers that was asked for
	Resident   float64       `json:"resident"`           // measured mean number of resident timers in the timed blocks
	CancelRate float64       `json:"cancel_rate"`        // measured: cancelled / (cancelled + fired)
	Unit       script.Unit   `json:"unit"`               // unit of the cost
	TickNS     int64         `json:"tick_ns"`            // length of a tick of the workload
	Passed     *Passed       `json:"passed,omitempty"`   // how time passed; nil: not known
	Rows       []Row         `json:"rows"`

	// Common is the number of passes of each contender before any race. The proof of a row is the proof after the last of
	// these passes.
	Common int `json:"common_passes,omitempty"`

	Race *Race `json:"race,omitempty"` // record of the budget; nil: the run had none

	LeftOut    []string      `json:"left_out,omitempty"`     // structures
	LeftOutFor LeftOutReason `json:"left_out_for,omitempty"` // why

	// Apart reports that the structures did not fit into memory together. They were measured
	// one after the other, so a change of the machine's speed in between is part of their ratios.
	Apart bool `json:"apart,omitempty"`
}

// LeftOutReason is why a cell leaves out structures.
type LeftOutReason string

// The reasons. A cell with LeftOutFew has at most a dozen contenders.
const (
	LeftOutSlow LeftOutReason = ""    // they took at least twice as long as the best with fewer timers
	LeftOutFew  LeftOutReason = "few" // others were faster with fewer timers: make bench-full measures all
)

// Race is the record of what a budget did in a cell.
type Race struct {
	Rounds int `json:"rounds"` // rounds of the cell; a contender that dropped out has fewer
	Proved int `json:"proved"` // rounds after which the proofs were taken
}

// Role is the kind of a row.
type Role string

// The roles of a row.
const (
	RoleStructure Role = "structure" // from the catalog
	RoleFloor     Role = "floor"     // null scheduler, with the cost of the harness
	RoleControl   Role = "control"   // second instance of a structure, which shows the noise (A/A)
	RoleBaseline  Role = "baseline"  // Go's own timers, in Live only
	RoleExternal  Role = "external"  // a program of another language, see External
	RoleIntrusive Role = "intrusive" // from the catalog's second list: timers that are fields of the caller's structs
)

// The names of the floors of the harness.
const (
	Floor          = "null"
	IntrusiveFloor = "intrusive-null" // intrusive structures have loops of their own
)

// roles are those of the rows of cells.
var roles = []Role{RoleStructure, RoleFloor, RoleControl, RoleExternal, RoleIntrusive}

// Row is one contender in one cell.
type Row struct {
	Structure string       `json:"structure"`
	Role      Role         `json:"role"`
	Of        string       `json:"of,omitempty"`     // of a control: the structure
	Coarse    bool         `json:"coarse,omitempty"` // it fires late, so its proof differs from other proofs
	Cost      []Trial      `json:"cost"`             // trials timed as a whole
	ByKind    []Trial      `json:"by_kind"`          // trials timed by batches of one kind of operation
	Latency   []Latency    `json:"latency"`          // of single calls, by kind
	Proof     script.Proof `json:"proof"`

	Stopped Stopped `json:"stopped,omitempty"` // why it got no more rounds

	inStruct bool // see Row.Intrusive
}

// Stopped is the reason why a contender of a cell got no more rounds.
type Stopped string

// The reasons to stop.
const (
	StoppedDone   Stopped = ""       // it got all rounds
	StoppedBeaten Stopped = "beaten" // it is certainly far behind the best
	StoppedBudget Stopped = "budget" // the time was spent
)

// Trial is one timed replay of one block.
//
// Trials are nested: a code layout has instances of a contender, and an instance replays several rounds. All
// contenders of a cell replay the same block in the same round, so their trials can be compared in pairs.
type Trial struct {
	Instance   int        `json:"instance,omitempty"` // number of the instance, unique in the cell
	Round      int        `json:"round"`              // number of the round, unique in the cell
	NS         float64    `json:"ns"`                 // of the whole block
	Ops        int        `json:"ops"`                // calls that schedule, cancel, reschedule or fire
	Wakes      int        `json:"wakes"`              // wake-ups; at each, Pop is called until nothing is due
	Units      float64    `json:"units"`              // number of units (Cell.Unit)
	Allocs     uint64     `json:"allocs"`             // objects allocated during the block
	AllocBytes uint64     `json:"alloc_bytes"`        //
	Kinds      []KindTime `json:"kinds,omitempty"`    // in ByKind trials
}

// KindTime is the time of the operations of one kind in one trial.
type KindTime struct {
	Kind       script.Kind `json:"kind"`
	Count      int         `json:"count"`
	NS         float64     `json:"ns"`          // without the cost of the clock reads
	ClockReads int         `json:"clock_reads"` // number of clock reads
}

// Latency is the distribution of the times of single calls of one kind, in nanoseconds. Each
// sample includes one clock read (Environment.ClockNS).
type Latency struct {
	Kind    script.Kind `json:"kind"`
	Samples int64       `json:"samples"`
	Mean    float64     `json:"mean_ns"`
	P50     float64     `json:"p50_ns"`
	P90     float64     `json:"p90_ns"`
	P99     float64     `json:"p99_ns"`
	P999    float64     `json:"p999_ns"`
	Max     float64     `json:"max_ns"`

	// P99Range has the least and the largest 99th percentile of an instance; nil: not known, as of one instance.
	P99Range *[2]float64 `json:"p99_range_ns,omitempty"`
}

// Driver is a rule for when a structure is woken.
type Driver string

// The two drivers.
const (
	Ticking  Driver = "ticking"  // wakes at every tick
	Tickless Driver = "tickless" // wakes at the tick that Next names
)

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

// IdleTicks are the ticks of a script with one shape of deadlines on which nothing fires, and what they cost.
type IdleTicks struct {
	Shape      Shape        `json:"shape"`
	N          int          `json:"n"`
	Ticks      uint64       `json:"ticks"`                 // virtual time of the script
	Idle       uint64       `json:"idle_ticks"`            // ticks on which nothing fires, the same for all exact structures
	Fired      uint64       `json:"fired"`                 // timers
	FlatRounds uint64       `json:"flat_rounds,omitempty"` // timers that a classical flat wheel of 1,000 slots passes before they are due
	Structures []IdleTickOf `json:"structures,omitempty"`
}

// Shape is how the deadlines of idle ticks lie.
type Shape string

// The shapes. Deadlines on round times are those of periods that all began at the same time. The timers of the other shapes
// start at spread times.
const (
	Uniform       Shape = "uniform"
	Clustered     Shape = "clustered"
	RoundTimes    Shape = "round times"
	HalfCancelled Shape = "half cancelled" // uniform delays; half of the timers are cancelled before they fire
)

// IdleTickOf is what a structure does on the ticks of a script.
type IdleTickOf struct {
	Structure string  `json:"structure"`
	NS        float64 `json:"ns,omitempty"`           // of an idle tick under the ticking driver; 0: not measured
	Vain      uint64  `json:"vain"`                   // timers moved, stale entries dropped, entries of a list scanned, under the ticking driver
	Wakeups   uint64  `json:"idle_wakeups,omitempty"` // of the tickless driver, all of them
	Moved     uint64  `json:"idle_moved,omitempty"`   // wake-ups that only moved timers
	Dropped   uint64  `json:"idle_dropped,omitempty"` // wake-ups that only dropped stale entries; the other ones did nothing

	// Firing is the number of the other wake-ups. An exact structure has one at each tick that is not idle; 0: that many.
	Firing uint64 `json:"firing_wakeups,omitempty"`

	Lateness *Lateness `json:"lateness,omitempty"` // of a coarse structure, under the tickless driver
}

// Lateness is the lateness of the timers of a coarse structure, in ticks and as a share of the delay.
type Lateness struct {
	Mean      float64 `json:"mean_ticks"`
	P99       float64 `json:"p99_ticks"`
	Max       float64 `json:"max_ticks"`
	MeanShare float64 `json:"mean_share"`
	P99Share  float64 `json:"p99_share"`
	MaxShare  float64 `json:"max_share"`
}

// External is an external program of a run, see package external.
type External struct {
	Name      string  `json:"name"`
	Command   string  `json:"command"`
	Language  string  `json:"language"`            // language and its version
	Version   string  `json:"version"`             // of the structure
	Note      string  `json:"note,omitempty"`      // further information from the program
	Inlined   bool    `json:"inlined,omitempty"`   // the structure is compiled into the timed loop
	Virtual   bool    `json:"virtual,omitempty"`   // the structure calls back through a pointer
	Coarse    bool    `json:"coarse,omitempty"`    // it fires late, within its bound
	Floor     bool    `json:"floor,omitempty"`     // it has no structure, and shows the cost of the language and the loop
	Intrusive bool    `json:"intrusive,omitempty"` // its timers are fields of the caller's structs; others have an ID or a handle
	Limit     int     `json:"limit,omitempty"`     // largest number of timers; 0: any
	ClockNS   float64 `json:"clock_ns"`            // cost of one reading of its clock
	WakeNS    float64 `json:"wake_ns"`             // cost of a wake-up on which nothing is due, with one pending timer

	// Garbage collections during timed blocks, their time, the time of a compiler, and the time of the blocks.
	Collections  uint64 `json:"collections,omitempty"`
	CollectionNS uint64 `json:"collection_ns,omitempty"`
	CompileNS    uint64 `json:"compile_ns,omitempty"`
	TimedNS      uint64 `json:"timed_ns,omitempty"`
}
