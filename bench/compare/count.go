package compare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/parallel"
	"github.com/timerbench/timerbench/structures/entry"
)

// Counts holds the counts of one structure in one cell, per unit of work.
type Counts struct {
	Structure string      `json:"structure"`
	Workload  string      `json:"workload"`
	N         int         `json:"n"`
	Unit      script.Unit `json:"unit"` // the unit of costs in results

	Instructions float64 `json:"instructions"`
	Reads        float64 `json:"reads"`
	Writes       float64 `json:"writes"`
	L1Misses     float64 `json:"l1_misses"` // 32 kB, 8 ways
	L2Misses     float64 `json:"l2_misses"` // 1 MB, 16 ways
	LLMisses     float64 `json:"ll_misses"` // 32 MB, 16 ways
	Mispredicted float64 `json:"mispredicted"`
	Conditional  float64 `json:"mispredicted_conditional"`
	Indirect     float64 `json:"mispredicted_indirect"`
}

// CountCell identifies one count.
type CountCell struct {
	Structure, Workload string
	N                   int
	Seed                uint64
}

// CountCells returns a cell for each structure on each workload at each size up to the structure's limit, with one seed.
func CountCells(structures []entry.Entry, workloads []workload.Workload, sizes []int, seed uint64) (cells []CountCell) {
	for _, w := range workloads {
		for _, n := range sizes {
			for _, e := range structures {
				if e.Limit == 0 || n <= e.Limit {
					cells = append(cells, CountCell{Structure: e.Name, Workload: w.Name, N: n, Seed: seed})
				}
			}
		}
	}
	return cells
}

// LeastChange is the smallest relative difference of instructions that counts as a change (chosen: two counts of
// equal builds differ by less).
const LeastChange = 0.002

// Counted compares the instructions of two builds. before and after are counts of the same cells.
func Counted(before, after []Counts) *Table {
	t := &Table{Unit: "instructions"}
	for i, now := range after {
		ratio := now.Instructions / before[i].Instructions
		r := Row{
			Workload: now.Workload, N: now.N, Structure: now.Structure, Op: string(now.Unit), Old: before[i].Instructions,
			New: now.Instructions, Plain: ratio, Ratio: stats.Estimate{Center: ratio, Lo: ratio, Hi: ratio, Rounds: 1, Few: true}, Least: LeastChange, Verdict: Same,
		}
		switch {
		case ratio >= 1+LeastChange:
			r.Verdict = More
		case ratio <= 1-LeastChange:
			r.Verdict = Fewer
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// CountCommand is the hidden command of the program that replays a script once, under cachegrind.
const CountCommand = "count-replay"

// args returns the arguments of [CountCommand], which passes them to [ReplayForCount].
func (c CountCell) args(how string) []string {
	seed := strconv.FormatUint(c.Seed, 10)
	return []string{CountCommand, c.Structure, c.Workload, strconv.Itoa(c.N), seed, how}
}

// The last cache levels. Cachegrind simulates two levels, so each cell is counted once with each of these.
const (
	level2    = "1048576,16,64"
	lastLevel = "33554432,16,64"
)

// CountAll counts cells on all processors and returns their rows in the order of cells. If caches is false, it counts only
// instructions and branches, which takes a quarter of the time. It calls done after each cell, never concurrently.
func CountAll(ctx context.Context, program string, cells []CountCell, caches bool, done func()) ([]Counts, error) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		return nil, errors.New("no valgrind: apt-get install valgrind (Debian, Ubuntu), or dnf install valgrind (Fedora); it runs on Linux")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows, places := make([]Counts, len(cells)), make([]int, len(cells))
	for i := range places {
		places[i] = i
	}
	var one sync.Mutex // held during calls of done
	errs := parallel.Each(ctx, places, func(i int) (err error) {
		if rows[i], err = cells[i].count(ctx, program, caches); err != nil {
			cancel() // one failed cell fails the command
			return err
		}
		one.Lock()
		defer one.Unlock()
		done()
		return nil
	})
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	return rows, ctx.Err()
}

// count proves the replay of a cell and then counts it.
func (c CountCell) count(ctx context.Context, program string, caches bool) (Counts, error) {
	row := Counts{Structure: c.Structure, Workload: c.Workload, N: c.N}
	proved, err := output(ctx, exec.CommandContext(ctx, program, c.args(proof)...))
	if err != nil {
		return row, err
	}
	var s Steady
	if err := json.Unmarshal([]byte(proved), &s); err != nil || s.Units <= 0 {
		return row, fmt.Errorf("%s printed %q: want units of work", CountCommand, proved)
	}
	row.Unit = s.Unit
	with := []string{""}
	if caches {
		with = []string{lastLevel, level2}
	}
	for _, level := range with {
		e, err := c.steady(ctx, program, level, proved, s.Units)
		if err != nil {
			return row, err
		}
		per := func(names ...string) (n float64) {
			for _, name := range names {
				n += e[name]
			}
			return max(0, n/s.Units) // differences around 0 may be negative
		}
		if row.L2Misses = per("DLmr", "DLmw"); level == level2 {
			break
		}
		row.LLMisses = row.L2Misses
		row.Instructions, row.Reads, row.Writes = per("Ir"), per("Dr"), per("Dw")
		row.L1Misses = per("D1mr", "D1mw")
		row.Mispredicted, row.Conditional, row.Indirect = per("Bcm", "Bim"), per("Bcm"), per("Bim")
	}
	return row, nil
}

// steady returns the events of the structure in the steady state. The counted replay must print
// the same output as the proved replay.
func (c CountCell) steady(ctx context.Context, program, last, proved string, units float64) (events, error) {
	begin, _, err := cachegrind(ctx, last, program, c.args(first)...)
	if err != nil {
		return nil, err
	}
	end, printed, err := cachegrind(ctx, last, program, c.args(both)...)
	if err != nil {
		return nil, err
	}
	if printed != proved {
		return nil, fmt.Errorf("%s among %d timers of %s: it printed %q when it was counted, and %q when proved",
			c.Structure, c.N, c.Workload, printed, proved)
	}
	steady, named := events{}, false
	for function, e := range end {
		named = named || strings.HasPrefix(function, module+"structures/")
		// The work of the runtime during program start varies from run to run.
		started := strings.HasPrefix(function, "runtime.") && e["Ir"]-begin[function]["Ir"] < units
		if ofStructure(function) && !started {
			for name, n := range e {
				steady[name] += n - begin[function][name]
			}
		}
	}
	if !named {
		return nil, fmt.Errorf("%s: cachegrind finds no function of a structure in it: want a build with symbols, "+
			"without -ldflags -s", program)
	}
	return steady, nil
}

const module = "github.com/timerbench/timerbench/"

// ofStructure reports whether a function does work for a structure.
func ofStructure(function string) bool {
	if own, ok := strings.CutPrefix(function, module); ok {
		return strings.HasPrefix(own, "structures/")
	}
	if name, ok := strings.CutPrefix(function, "runtime."); ok {
		for _, prefix := range runtimeWork {
			if strings.HasPrefix(name, prefix) {
				return true
			}
		}
		return false
	}
	return !strings.HasPrefix(function, "main.")
}

// runtimeWork lists name prefixes of the runtime functions that structures call. The rest of the
// runtime (threads, locks, heap pages) runs independently of the structures.
var runtimeWork = []string{
	"mem", "malloc", "newobject", "newarray", "makeslice", "growslice", "nextslicecap", "typed", "map",
	"gcWriteBarrier", "wbBuf", "bulkBarrier", "heapSetType", "publicationBarrier", "nextFreeFast",
	"(*mcache).nextFree", "(*mspan).nextFree", "(*mspan).writeHeapBits", "panicIndex",
	"convT", "assertE2I", "typeAssert", "efaceeq", "ifaceeq", "rand", "duffcopy", "duffzero",
}
