package results

import (
	"cmp"
	"slices"
	"strings"
)

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

// Form is a kind of timer on a real clock.
type Form string

// The forms.
const (
	FormAfterFunc Form = "afterfunc" // Reset starts it again after it fired or was stopped
	FormSchedule  Form = "schedule"  // Reset moves it only if it is pending
	FormEmbedded  Form = "embedded"  // a field of the object that it times, otherwise as FormAfterFunc
	FormChannel   Form = "channel"   // sends the time on a channel; in these loads nobody receives
)

// Forms are all forms, in the order of tables.
var Forms = []Form{FormAfterFunc, FormSchedule, FormEmbedded, FormChannel}

// Op is a timed operation, which goroutines repeat.
type Op string

// The operations other than [StartStop].
const (
	OpReset Op = "reset" // restart a resident timer with its delay, so that it always moves to a later time
	OpFire  Op = "fire"  // start timers with delays up to a millisecond, and wait for them
	OpWake  Op = "wake"  // start one timer with a delay of a millisecond, and wait for it: the process sleeps; only Prices of package live measures it
)

// Ops are the operations of tables, in their order.
var Ops = []Op{
	StartStop(FormAfterFunc), StartStop(FormSchedule), StartStop(FormEmbedded), StartStop(FormChannel),
	OpReset, OpFire,
}

// The loops of users: each goroutine does one thing again and again, with timers of minutes, and nothing is prepared for it.
const (
	LoopAfterFunc Op = "loop-afterfunc" // start a timer and stop it
	LoopNewTimer  Op = "loop-newtimer"  // start a timer with a channel and stop it
	LoopLater     Op = "loop-later"     // move a random resident timer to a later time
	LoopRandom    Op = "loop-random"    // move a random resident timer to a random time
	LoopReplace   Op = "loop-replace"   // stop a random resident timer, and start another one in its place
	LoopContext   Op = "loop-context"   // make a context with a timeout and cancel it
	LoopBurst     Op = "loop-burst"     // start 1,024 timers of a millisecond, and wait until all have fired
)

// Loop is the loop of a user, with its name in tables.
type Loop struct {
	Op   Op
	Name string
}

// Loops are all loops, in the order of tables.
var Loops = []Loop{
	{LoopAfterFunc, "AfterFunc, Stop"}, {LoopNewTimer, "NewTimer, Stop"}, {LoopLater, "Reset to later"}, {LoopRandom, "Reset to a random time"},
	{LoopReplace, "Stop a random one, AfterFunc in its place"}, {LoopContext, "WithTimeout, cancel"}, {LoopBurst, "1,024 of 1 ms at once, until all ran"},
}

// Loop reports whether the operation is the loop of a user.
func (op Op) Loop() bool { return strings.HasPrefix(string(op), "loop-") }

// StartStop returns the operation that starts timers of a form with one delay and soon stops them, like
// the timeout of a request.
func StartStop(form Form) Op { return Op(form) + "+stop" }

// Form returns the form of a StartStop.
func (op Op) Form() Form { return Form(strings.TrimSuffix(string(op), "+stop")) }

// Moves reports whether the operation moves timers.
func (op Op) Moves() bool { return op == OpReset }

// Counterpart returns the operation of Go's own timers that replaces an operation.
func (op Op) Counterpart() Op {
	if op == StartStop(FormSchedule) || op == StartStop(FormEmbedded) {
		return StartStop(FormAfterFunc)
	}
	return op
}

// Due returns the share of the old deadlines of stopped or moved timers that passed within the slices of operations: steady from
// script.Steady on, because the work that a structure puts off until then is paid where it is measured. It is NaN if none was
// stopped or moved.
func Due(rows []LiveRow, is func(Op) bool) float64 {
	dead, due := 0, 0
	for _, r := range rows {
		for _, t := range r.Throughput {
			if is(t.Op) {
				dead, due = dead+t.Dead, due+t.Due
			}
		}
	}
	return float64(due) / float64(dead)
}

// FewTimers is the number of resident timers below which their memory, and their share of a garbage
// collection, cannot be told from the rest of the process.
const FewTimers = 10_000

// Has reports whether the row has a throughput of the operation.
func (r LiveRow) Has(op Op) bool {
	return slices.ContainsFunc(r.Throughput, func(t LiveThroughput) bool { return t.Op == op })
}

// Is reports whether the slice ran an operation on a number of goroutines.
func (t LiveThroughput) Is(op Op, goroutines int) bool {
	return t.Op == op && t.Goroutines == goroutines
}

// OpNS returns the processor time of an operation in ns, with all that it causes, or its duration on a system that does not
// tell. On a busy machine a duration contains the time of other programs.
func (t LiveThroughput) OpNS() float64 { return cmp.Or(t.CPUNS, t.NS) / float64(t.Ops) }

// OnDriver returns the name of the row of a driver on a structure with the default tick.
func OnDriver(structure string) string { return structure + " " + string(Tickless) }

// OnDriver returns the row of a driver on a structure with the default tick, or of Go's own timers if structure is
// empty.
func (l *Live) OnDriver(resident int, structure string) (row LiveRow, ok bool) {
	i := slices.IndexFunc(l.Rows, func(r LiveRow) bool {
		return r.Resident == resident && (structure == "" && r.Role == RoleBaseline || structure != "" && r.driven() == structure)
	})
	if i < 0 {
		return LiveRow{}, false
	}
	return l.Rows[i], true
}

// Structures returns the structures of such drivers.
func (l *Live) Structures() (names []string) {
	for _, r := range l.Rows {
		if name := r.driven(); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// driven returns the structure of a driver with the default tick; empty: it is another contender.
func (r LiveRow) driven() string {
	if r.Role != RoleStructure || r.Name != OnDriver(r.Structure) {
		return ""
	}
	return r.Structure
}

// Among returns the rows with a number of resident timers.
func (l *Live) Among(resident int) []LiveRow {
	return slices.DeleteFunc(slices.Clone(l.Rows), func(r LiveRow) bool { return r.Resident != resident })
}

// Residents returns the numbers of resident timers in ascending order.
func (l *Live) Residents() []int {
	var all []int
	for _, row := range l.Rows {
		all = append(all, row.Resident)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
