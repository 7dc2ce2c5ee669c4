package bench

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/minheap"
)

// slowHeap is a heap that takes long for each Schedule.
type slowHeap struct {
	*minheap.Heap[uint64]
	loops int
	sum   uint64
}

func (s *slowHeap) Schedule(deadline structures.Tick, value uint64) structures.ID {
	for i := range s.loops {
		s.sum += uint64(i) ^ s.sum>>3
	}
	return s.Heap.Schedule(deadline, value)
}

// heapEntry is an entry of a heap that is slowed down by that many loops. made counts the
// instances; it may be nil.
func heapEntry(name string, loops int, made *int) entry.Entry {
	return entry.Entry{Name: name, New: func() structures.Scheduler[uint64] {
		if made != nil {
			*made++
		}
		return &slowHeap{Heap: minheap.New[uint64](), loops: loops}
	}}
}

func rowNamed(t *testing.T, c results.Cell, name string) results.Row {
	t.Helper()
	i := slices.IndexFunc(c.Rows, func(row results.Row) bool { return row.Structure == name })
	if i < 0 {
		t.Fatalf("%s, n %d has no row %s", c.Workload, c.N, name)
	}
	return c.Rows[i]
}

func TestAPassHasFreshInstancesAndTheSameBlocksForAll(t *testing.T) {
	made := 0
	cfg := tinyRun(t, nil, []string{"hold"})
	cfg.Structures = []entry.Entry{heapEntry("fast", 0, nil), heapEntry("slow", 500, &made)}
	cfg.Trials = 5
	r := run(t, cfg)
	if r.Parameters.Instances != 3 || made != 5 { // and one each for the pass with the collector on and the analysis of memory
		t.Errorf("%d instances asked for, %d made, want 3 and one each for the garbage collector and the memory", r.Parameters.Instances, made)
	}
	c := r.Cells[0]
	fast := rowNamed(t, c, "fast")
	for _, row := range c.Rows {
		first := 0
		if row.Role == results.RoleControl {
			first = roundsPerPass // it is known after the first pass who it repeats
		}
		if len(row.Cost) != 5-first {
			t.Errorf("%s: %d trials", row.Structure, len(row.Cost))
		}
		for i, trial := range row.Cost {
			i += first
			if trial.Layout != 0 || trial.Round != i || trial.Instance != i/roundsPerPass {
				t.Errorf("%s, trial %d: layout %d, instance %d, round %d", row.Structure, i, trial.Layout, trial.Instance, trial.Round)
			}
			if trial.Units != fast.Cost[i].Units || trial.Ops != fast.Cost[i].Ops {
				t.Errorf("%s, round %d: %v units, others have %v", row.Structure, i, trial.Units, fast.Cost[i].Units)
			}
		}
		if row.Proof != fast.Proof {
			t.Errorf("%s has proof %+v, want %+v", row.Structure, row.Proof, fast.Proof)
		}
	}
	if control := rowNamed(t, c, "fast-control"); control.Of != "fast" {
		t.Errorf("the control repeats %s, want the likely winner", control.Of)
	}
}

// The rounds of a cell are spread evenly over the time in which the population is
// replaced, and those of one pass are half of it apart.
func TestRoundsAreSpreadOverAPeriodOfAgeing(t *testing.T) {
	const n = 30_000
	hold, _ := workload.Find("hold")
	c := Profile{Trials: 6, proveOps: 10}.cell(hold, n)
	for pass := range 3 {
		p, err := newRig(nil).begin(context.Background(), c, pass, c.contenders([]entry.Entry{heapEntry("heap", 0, nil)}, nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		for round := range roundsPerPass {
			if err := p.ageTo(context.Background(), round); err != nil {
				t.Fatal(err)
			}
			want := 2 * n * (3*round + pass) / 6
			if p.aged < want || p.aged > want+100 {
				t.Errorf("pass %d, round %d begins after %d operations, want %d", pass, round, p.aged, want)
			}
			for _, r := range p.rows {
				if got := int(r.instance.Proof.Scheduled + r.instance.Proof.Fired); got < want {
					t.Errorf("pass %d, round %d: %s has done %d operations of %d", pass, round, r.Structure, got, want)
				}
			}
		}
		p.end()
	}
}

// synthetic is a cell with costs that were not measured: a list of six rounds of three
// instances for each structure.
func synthetic(costs map[string][]float64) *cellRun {
	c := newRig(nil).newCellRun(cell{trials: 6, perPass: roundsPerPass}, nil, nil)
	c.passes, c.rounds = 3, 6
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		ns, ok := costs[name]
		if !ok {
			continue
		}
		row := newContender(results.RoleStructure, entry.Entry{Name: name})
		for i, v := range ns {
			row.Cost = append(row.Cost, results.Trial{Instance: i / 2, Round: i, NS: v, Units: 1})
		}
		c.rows = append(c.rows, row)
	}
	c.addControl("a")
	for i := range c.rows[1].Cost {
		trial := c.rows[1].Cost[i]
		trial.NS *= 1 + 0.002*float64(i%3-1)
		control := c.rows[len(c.rows)-1]
		control.Cost = append(control.Cost, trial)
	}
	return c
}

func TestTheBeatenDropOutAndTheOpenGoOn(t *testing.T) {
	const beaten, settled = results.StoppedBeaten, results.StoppedSettled
	// Of a and b nobody knows who is the better one. All others are far behind.
	noisy := map[string][]float64{
		"a": {100, 120, 90, 115, 105, 95}, "b": {120, 95, 108, 90, 97, 119},
		"c": {900, 910, 890, 905, 895, 900}, "d": {700, 710, 690, 705, 695, 700},
	}
	clear := map[string][]float64{
		"a": {100, 100.1, 100.2, 100, 100.1, 99.9}, "b": {130, 130.1, 129.9, 130, 130.2, 130.1},
		"c": {900, 901, 899, 900, 900, 901},
	}
	few := map[string][]float64{"a": noisy["a"][:4], "b": noisy["b"][:4], "c": {900, 280, 890, 905}, "d": noisy["d"][:4]}
	for name, test := range map[string]struct {
		costs   map[string][]float64
		passes  int
		open    int
		stopped map[string]results.Stopped
	}{
		"two of which nobody knows":      {noisy, 3, 2, map[string]results.Stopped{"c": beaten, "d": beaten}},
		"a clear winner":                 {clear, 3, 0, map[string]results.Stopped{"a": settled, "b": settled, "c": beaten}},
		"all passes that there are":      {noisy, 3 * maxPasses, 0, map[string]results.Stopped{"c": beaten, "d": beaten}},
		"far behind in each of 4 rounds": {few, 2, 3, map[string]results.Stopped{"d": beaten}},
	} {
		m := synthetic(test.costs)
		m.passes = test.passes
		if open := m.look(); open != test.open {
			t.Errorf("%s: %d contenders are open, want %d", name, open, test.open)
		}
		racing := m.racing()
		for _, row := range m.rows {
			if row.Stopped != test.stopped[row.Structure] {
				t.Errorf("%s: %s stopped %q, want %q", name, row.Structure, row.Stopped, test.stopped[row.Structure])
			}
			if slices.Contains(racing, row) != (row.Stopped == "") {
				t.Errorf("%s: %s, stopped %q, is among those that race: %t", name, row.Structure, row.Stopped, row.Stopped != "")
			}
		}
	}
}

// The record of a race counts the looks that had enough rounds for a decision. A settled cell would
// have had more of them.
func TestARaceIsRecorded(t *testing.T) {
	open := map[string][]float64{"a": {100, 120, 90, 115, 105, 95}, "b": {120, 95, 108, 90, 97, 119}}
	settled := map[string][]float64{"a": {100, 100.1, 100.2, 100, 100.1, 99.9}, "b": {130, 130.1, 129.9, 130, 130.2, 130.1}}
	for _, c := range []struct {
		costs  map[string][]float64
		rounds []int // at each look
		want   results.Race
	}{
		{open, []int{2, 4}, results.Race{Rounds: 4, Looks: 1}},
		{open, []int{2, 4, 6}, results.Race{Rounds: 6, Looks: 1}},
		{open, []int{2, 4, 6, 8}, results.Race{Rounds: 8, Looks: 2}},
		{open, []int{3, 6}, results.Race{Rounds: 6, Looks: 1}},
		{open, []int{2, 4, 6, 8, 10, 12}, results.Race{Rounds: 12, Looks: stats.RaceLooks}},
		{settled, []int{2, 4, 6}, results.Race{Rounds: 6, Looks: stats.RaceLooks}},
	} {
		m := synthetic(c.costs)
		m.cell.budget = true
		for _, rounds := range c.rounds {
			for _, row := range m.rows {
				if row.Role == results.RoleStructure {
					row.Cost = row.Cost[:0:0]
					for i, ns := range c.costs[row.Structure][:min(6, rounds)] {
						row.Cost = append(row.Cost, results.Trial{Instance: i / 2, Round: i, NS: ns, Units: 1})
					}
				}
			}
			m.rounds = rounds
			m.look()
		}
		if got := m.result().Race; got == nil || *got != c.want {
			t.Errorf("looks after %v rounds: %+v, want %+v", c.rounds, got, c.want)
		}
	}
	m := synthetic(open)
	if got := m.result().Race; got != nil {
		t.Errorf("without a budget: %+v", got)
	}
}

func TestTheBudgetGoesToTheOpenQuestion(t *testing.T) {
	cfg := tinyRun(t, nil, []string{"hold"})
	cfg.Structures = []entry.Entry{heapEntry("one", 0, nil), heapEntry("other", 0, nil), heapEntry("slow", 1000, nil)}
	cfg.Trials, cfg.Budget = 6, 3*time.Second
	saved := 0
	cfg.Checkpoint = func(r *results.Run) error {
		if saved++; r.Complete && len(r.Done) > 0 {
			t.Errorf("a complete run has unfinished steps: %q", r.Done)
		}
		return nil
	}
	started := time.Now()
	r := run(t, cfg)
	if took := time.Since(started); took > 2*cfg.Budget {
		t.Errorf("it took %v", took)
	}
	if !r.Complete || r.Seconds == 0 || r.Parameters.Budget != 3 {
		t.Errorf("complete %v, %v s, budget %v", r.Complete, r.Seconds, r.Parameters.Budget)
	}
	c := r.Cells[0]
	if slow := rowNamed(t, c, "slow"); slow.Stopped != results.StoppedBeaten || len(slow.Cost) > 12 {
		t.Errorf("the slow one stopped after %d rounds: %q", len(slow.Cost), slow.Stopped)
	}
	one, other := rowNamed(t, c, "one"), rowNamed(t, c, "other")
	if len(one.Cost) != len(other.Cost) || one.Stopped == results.StoppedBeaten || other.Stopped == results.StoppedBeaten {
		t.Errorf("of two equal ones, %d and %d rounds, stopped: %q, %q", len(one.Cost), len(other.Cost), one.Stopped, other.Stopped)
	}
	if one.Stopped == results.StoppedDone && len(one.Cost) < maxPasses*6 || len(one.ByKind) != min(6, len(one.Cost)) {
		t.Errorf("%d rounds and %d by kind, stopped: %q", len(one.Cost), len(one.ByKind), one.Stopped)
	}
	if c.Race == nil || c.Race.Rounds != len(one.Cost) || c.Race.Looks < 1 {
		t.Errorf("the record of the race is %+v, of %d rounds", c.Race, len(one.Cost))
	}
	if saved < 2 && len(one.Cost) > 6 {
		t.Error("rounds of the race are not saved")
	}
}

func TestACellIsNotMeasuredTwiceInARow(t *testing.T) {
	a := &budget{deadline: time.Now().Add(time.Minute), passes: 100}
	add := func(name string, last int, seconds float64, took time.Duration, headline bool) {
		m := &cellRun{spent: seconds, took: took, last: last}
		m.cell.workload.Name, m.cell.headline = name, headline
		a.cells = append(a.cells, m)
	}
	next := func() string {
		if m := a.next(); m != nil {
			return m.cell.workload.Name
		}
		return ""
	}
	add("just measured", 100, 0.1, 0, false)
	if got := next(); got != "just measured" {
		t.Errorf("%q has a pass, and it is the only one that is open", got)
	}
	add("a while ago", 90, 2, 0, false)
	if got := next(); got != "a while ago" {
		t.Errorf("%q has a pass, want the one that is apart from its last one", got)
	}
	for range leastApart {
		add("too long", 90, 0.1, time.Hour, true)
	}
	add("little time", 91, 1, 0, false)
	if got := next(); got != "little time" {
		t.Errorf("%q has a pass, want the one that has had the least time", got)
	}
	add("of the first table", 92, 3, 0, true)
	if got := next(); got != "of the first table" {
		t.Errorf("%q has a pass, want the one of the first table, whose share is %d times as large", got, headlineShare)
	}
	a.deadline = time.Now().Add(-time.Second)
	if got := next(); got != "" {
		t.Errorf("%q has a pass after the deadline", got)
	}
}

func TestTheBudgetIsSpentInTheOrderOfInterest(t *testing.T) {
	of := func(name string, n, resident int) Step {
		return Step{Name: name, N: n, cell: &cell{n: n, workload: workload.Workload{Resident: resident}}}
	}
	constant := of("constant 1e5", 1e5, 0)
	constant.cell.workload.Grid = &workload.GridPlace{Delays: workload.Constant}
	var got []string
	for _, s := range byInterest([]Step{
		constant, of("10", 10, 0), of("1e3", 1000, 0), of("1e6", 1e6, 0), of("1e5", 1e5, 0), {Name: "idle"}, of("1e4", 1e4, 0),
		of("own", 5e4, 5e4), of("large", 2e6, 2e6),
	}) {
		got = append(got, s.Name)
	}
	if want := []string{"1e3", "1e4", "own", "idle", "1e5", "constant 1e5", "10", "1e6", "large"}; !slices.Equal(got, want) {
		t.Errorf("the order is %q, want %q", got, want)
	}
	if first := byInterest([]Step{{Name: "memory"}, of("1e6", 1e6, 0), of("1e5", 1e5, 0)}); first[0].Name != "1e5" || first[1].Name != "memory" {
		t.Errorf("without a middle size, %s and %s come first", first[0].Name, first[1].Name)
	}
}

// A machine that is slower than that of the estimates has no time for all. What it leaves out
// is said, and the run ends in time.
func TestWhatDoesNotFitIntoTheBudgetIsNotMeasured(t *testing.T) {
	cfg := tinyRun(t, nil, []string{"hold", "churn", "start-stop", "reschedule"})
	cfg.Structures = []entry.Entry{heapEntry("slow", 2_000, nil)}
	cfg.Trials, cfg.Budget = 6, 300*time.Millisecond
	started := time.Now()
	r := run(t, cfg)
	if len(r.Cells) == 0 || len(r.NotMeasured) == 0 || !r.Complete {
		t.Errorf("%d cells, not measured: %q, complete: %t", len(r.Cells), r.NotMeasured, r.Complete)
	}
	t.Logf("%d cells, not measured: %q, took %v", len(r.Cells), r.NotMeasured, time.Since(started))
}

// In a pass with the collector on, the rounds of the first pass are repeated, while
// garbage is collected.
func TestThePassWithTheCollectorOn(t *testing.T) {
	cfg := tinyRun(t, []string{"hwheel", "quadheap"}, []string{"hold", "churn", "reschedule"}) // the first two have one unit
	cfg.N = []int{50, 500}
	r := run(t, cfg)
	for _, c := range r.Cells {
		for _, row := range c.Rows {
			want := 0
			if c.N == 500 && c.Workload != "churn" && row.Role != results.RoleBaseline {
				want = 2
			}
			if len(row.WithGC) != want {
				t.Errorf("%s, n %d, %s: %d trials with the collector on, want %d", c.Workload, c.N, row.Structure, len(row.WithGC), want)
				continue
			}
			for i, trial := range row.WithGC {
				if off := row.Cost[i]; trial.Round != off.Round || trial.Units != off.Units || trial.Ops != off.Ops || trial.NS <= 0 {
					t.Errorf("%s, n %d, %s: %+v with the collector on, %+v with it off", c.Workload, c.N, row.Structure, trial, off)
				}
			}
		}
	}
	heap := newProgramHeap(1000)
	before := measureGCs()
	stop := heap.collectAllTheTime()
	for measureGCs() < before+3 {
		time.Sleep(time.Millisecond)
	}
	stop()
	if first := heap.things[0]; first.next != heap.things[1] || heap.things[999].prev != heap.things[998] {
		t.Error("the heap of the program is not linked")
	}
}

func measureGCs() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}

func TestWhatIsHopelessAmongFewerTimersIsLeftOut(t *testing.T) {
	cfg := tinyRun(t, nil, []string{"hold"})
	cfg.Structures = []entry.Entry{heapEntry("fast", 0, nil), heapEntry("hopeless", 1000, nil), heapEntry("alike", 0, nil)}
	cfg.N, cfg.Trials = nil, 6
	cfg.Profile.sizes, cfg.Profile.frugalFrom = []int{10, 100, 1001}, 100
	r := run(t, cfg)
	for i, want := range [][]string{nil, {"hopeless"}, nil} { // 1001 is more than ten times 100
		c := r.Cells[i]
		if !slices.Equal(c.LeftOut, want) {
			t.Errorf("n %d leaves out %q, want %q", c.N, c.LeftOut, want)
		}
		if has := slices.ContainsFunc(c.Rows, func(row results.Row) bool { return row.Structure == "hopeless" }); has != (want == nil) {
			t.Errorf("n %d has a row for the hopeless one: %v", c.N, has)
		}
		trials := rowNamed(t, c, "fast").Cost
		if instances := trials[len(trials)-1].Instance + 1; len(trials) != 6 || instances != []int{3, 2, 2}[i] {
			t.Errorf("n %d has %d trials of %d instances", c.N, len(trials), instances)
		}
	}
	if r.Parameters.Instances != 2 {
		t.Errorf("the results say %d instances at least, want 2", r.Parameters.Instances)
	}
}

func TestWhichCellsAreFrugal(t *testing.T) {
	p := Profile{frugalFrom: 1000, gridFrugalFrom: 100}
	hold, grid := workload.Workload{Name: "hold"}, workload.Workload{Name: "grid", Grid: &workload.GridPlace{}}
	for _, test := range []struct {
		name    string
		profile Profile
		w       workload.Workload
		n       int
		tooSlow float64
	}{
		{"few timers", p, hold, 999, 0},
		{"many timers", p, hold, 1000, tooSlow},
		{"few of the grid", p, grid, 99, 0},
		{"many of the grid", p, grid, 100, tooSlowInGrid},
		{"a profile that is not frugal", Profile{}, grid, 1000, 0},
		{"sizes that were chosen", p.with([]int{1000}, 0, false), hold, 1000, 0},
		{"a run in turns", p.with(nil, 0, true), hold, 1000, 0},
	} {
		c := test.profile.cell(test.w, test.n)
		if c.tooSlow != test.tooSlow || (c.perPass == roundsPerFrugalPass) != (test.tooSlow > 0) {
			t.Errorf("%s: leaves out from %v, %d rounds a pass, want %v", test.name, c.tooSlow, c.perPass, test.tooSlow)
		}
	}
}

func TestTheFirstTableShowsTypicalSizesWithAllStructures(t *testing.T) {
	t.Parallel()
	normal, _ := FindProfile("normal")
	want := map[string]int{"hold": 10_000, "grid-uniform-50": 10_000, "conn-deadline": 1_000_000, "periodic": 10_000}
	for _, w := range normal.Workloads() {
		if n, ok := want[w.Name]; ok {
			delete(want, w.Name)
			if got := normal.headline(w); got != n {
				t.Errorf("%s: %d timers, want %d", w.Name, got, n)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("the normal profile lacks %v", want)
	}
}

// A cell is stored after its step and again after each phase of the race.
func TestAFailureBeforeTheRaceIsStoredOnce(t *testing.T) {
	m := synthetic(map[string][]float64{"a": {1, 2}, "b": {2, 1}})
	m.failed = []results.Failure{{Structure: "c"}}
	var r results.Run
	m.store(&r)
	m.store(&r)
	if len(r.Failures) != 1 || len(r.Cells) != 1 {
		t.Errorf("%d failures and %d cells, want 1 of each", len(r.Failures), len(r.Cells))
	}
	if m.fail([]results.Failure{{Structure: "a"}, {Structure: "b"}}); len(m.rows) != 1 {
		t.Errorf("%d rows are left, want the floor", len(m.rows))
	}
	if m.store(&r); len(r.Failures) != 3 || len(r.Cells) != 0 {
		t.Errorf("%d failures and %d cells without a structure, want 3 and none", len(r.Failures), len(r.Cells))
	}
}
