package bench

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/minheap"
)

// heapEntry is an entry of a heap that is slowed down by that many loops. made counts the
// instances; it may be nil.
func heapEntry(name string, loops int, made *int) entry.Entry {
	return entry.Entry{Name: name, New: func() structures.Scheduler[uint64] {
		if made != nil {
			*made++
		}
		sum := uint64(0)
		return &hooked{Heap: minheap.New[uint64](), schedule: func() {
			for i := range loops {
				sum += uint64(i) ^ sum>>3
			}
		}}
	}}
}

func TestAPassHasFreshInstancesAndTheSameBlocksForAll(t *testing.T) {
	made := 0
	cfg := tinyRun(t, nil, []string{"hold"})
	cfg.Structures = []entry.Entry{heapEntry("fast", 0, nil), heapEntry("slow", 500, &made)}
	cfg.Trials = 5
	r := run(t, cfg)
	fail.UnlessSame(t, "instances, with one for the memory", made, 4)
	c := r.Cells[0]
	if c.Race != nil {
		t.Errorf("without a budget it records %+v", c.Race)
	}
	fast := c.Row("fast")
	for _, row := range c.Rows {
		fail.UnlessSame(t, "rounds of "+row.Structure, len(row.Cost), 5)
		for i, trial := range row.Cost {
			if trial.Round != i || trial.Instance != i/roundsPerPass {
				t.Errorf("%s, trial %d: instance %d, round %d", row.Structure, i, trial.Instance, trial.Round)
			}
			if trial.Units != fast.Cost[i].Units || trial.Ops != fast.Cost[i].Ops {
				t.Errorf("%s, round %d: %v units, others have %v", row.Structure, i, trial.Units, fast.Cost[i].Units)
			}
		}
		fail.UnlessSame(t, "the proof of "+row.Structure, row.Proof, fast.Proof)
	}
	fail.UnlessSame(t, "what the control repeats", c.Row("fast-control").Of, "fast")
}

// The rounds of a cell are spread evenly over the time in which the population is
// replaced, and those of one pass are half of it apart.
func TestRoundsAreSpreadOverAPeriodOfAgeing(t *testing.T) {
	const n = 30_000
	hold, _ := workload.Find("hold")
	c := newCell(hold, n, []entry.Entry{heapEntry("heap", 0, nil)}, 0)
	c.design(Config{Trials: 6}, roundsPerPass)
	c.contenders = c.names()
	m := newRunner(&Plan{}, Hooks{}).measuring(c)
	for pass := range 3 {
		rounds := c.pass(pass)
		fail.If(t, m.begin(t.Context(), rounds[0]))
		for round := range roundsPerPass {
			fail.If(t, m.ageTo(t.Context(), rounds[1+round].Age))
			s := m.script
			if warm := s.warmUp.Operations(); !s.warmUp.Done() || warm < 2*n || warm > 3*n {
				t.Errorf("the warm-up takes %d operations, want one replacement of %d timers", warm, n)
			}
			want := s.warmUp.Operations() + 2*n*(3*round+pass)/6
			if s.at.Operations < want || s.at.Operations > want+100 {
				t.Errorf("pass %d, round %d begins after %d operations, want %d", pass, round, s.at.Operations, want)
			}
			for _, r := range m.in() {
				if got := int(r.player.Proof().Scheduled + r.player.Proof().Fired); got < want {
					t.Errorf("pass %d, round %d: %s has done %d operations of %d", pass, round, r.Structure, got, want)
				}
			}
		}
		m.end()
	}
}

// synthetic is a cell with costs that were not measured: a list of rounds for each structure. The
// control repeats a.
func synthetic(costs map[string][]float64) *measuring {
	c := newRunner(&Plan{}, Hooks{}).measuring(&Cell{})
	add := func(r *contender, costs []float64) {
		for i, v := range costs {
			r.Cost = append(r.Cost, results.Trial{Instance: i / 2, Round: i, NS: v, Units: 1})
		}
		c.rows = append(c.rows, r)
	}
	for _, name := range slices.Sorted(maps.Keys(costs)) {
		add(newContender(results.RoleStructure, entry.Entry{Name: name}), costs[name])
	}
	add(controlOf(entry.Entry{Name: "a"}), costs["a"])
	return c
}

func TestWhoIsFarBehindDropsOut(t *testing.T) {
	repeat := func(n int, ns ...float64) []float64 { return slices.Repeat(ns, n/len(ns)) }
	for name, test := range map[string]struct {
		costs  map[string][]float64
		beaten []string
	}{
		"two rounds":                          {map[string][]float64{"a": repeat(2, 100), "b": repeat(2, 900)}, nil},
		"three rounds":                        {map[string][]float64{"a": repeat(3, 100), "b": repeat(3, 900), "c": repeat(3, 190)}, []string{"b"}},
		"not in each round":                   {map[string][]float64{"a": repeat(3, 100), "b": {900, 190, 900}}, nil},
		"somewhat behind for long":            {map[string][]float64{"a": repeat(12, 100), "b": repeat(12, 101, 170), "c": repeat(12, 99, 190)}, []string{"b"}},
		"a little behind for long":            {map[string][]float64{"a": repeat(12, 100), "b": repeat(12, 120)}, nil},
		"somewhat behind for short":           {map[string][]float64{"a": repeat(11, 100), "b": repeat(11, 150)}, nil},
		"the control goes with its structure": {map[string][]float64{"a": repeat(12, 900), "b": repeat(12, 100), "c": repeat(12, 900)}, []string{"a", "a-control", "c"}},
	} {
		m := synthetic(test.costs)
		for i, ns := range test.costs["b"] {
			m.rows[0].Cost = append(m.rows[0].Cost, results.Trial{Round: i, NS: 10 * ns, Units: 1}) // the floor
		}
		dropBehind(m.rows)
		for _, row := range m.rows {
			beaten := slices.Contains(test.beaten, row.Structure)
			if (row.Stopped == results.StoppedBeaten) != beaten {
				t.Errorf("%s: %s stopped %q, want it beaten: %t", name, row.Structure, row.Stopped, beaten)
			}
		}
	}
}

// A structure that has stopped is not the best and does not stop again.
func TestWhoHasStoppedDoesNotCount(t *testing.T) {
	m := synthetic(map[string][]float64{"a": {100, 100, 100}, "b": {900, 900, 900}, "c": {10, 10, 10}, "d": {110, 110, 110}})
	m.rows[2].Stopped, m.rows[3].Stopped = results.StoppedBudget, results.StoppedBeaten // the floor is row 0
	dropBehind(m.rows)
	if b, d := m.rows[2].Stopped, m.rows[4].Stopped; b != results.StoppedBudget || d != results.StoppedDone {
		t.Errorf("b stopped %q, d %q", b, d)
	}
}

// The best structure is the one that must not drop out. Here 28 % of noise from round to round hide that
// all structures are equal, so each of them stands for the best.
func TestTheBestSeldomDropsOut(t *testing.T) {
	const noise = 0.28
	random := rand.New(rand.NewPCG(1, 2))
	for contenders, percent := range map[int]float64{2: 0.5, 8: 0.5, 30: 1} {
		cells := longtest.Scale(t, 40, 40, 5000)
		if contenders == 30 {
			cells /= 2
		}
		dropped := 0
		for range cells {
			costs := make(map[string][]float64)
			name := func(i int) string { return fmt.Sprintf("%c%c", 'b'+i/26, 'a'+i%26) }
			m := synthetic(nil)
			for i := range contenders {
				costs[name(i)] = nil
				m.rows = append(m.rows, newContender(results.RoleStructure, entry.Entry{Name: name(i)}))
			}
			for round := range plannedRounds {
				for _, r := range m.rows {
					if r.Stopped != results.StoppedDone {
						continue
					}
					r.Cost = append(r.Cost, results.Trial{Round: round, NS: math.Exp(noise * random.NormFloat64()), Units: 1})
				}
				dropBehind(m.rows)
			}
			for _, r := range m.rows {
				if r.Structure == name(0) && r.Stopped == results.StoppedBeaten {
					dropped++
				}
			}
		}
		if most := percent/100*float64(cells) + 2; float64(dropped) > most {
			t.Errorf("of %d equal structures one drops out in %d of %d cells, want at most %.0f", contenders, dropped, cells, most)
		}
	}
}

func TestTheBudgetGoesToTheBest(t *testing.T) {
	cfg := tinyRun(t, nil, []string{"hold"})
	cfg.Structures = []entry.Entry{heapEntry("one", 0, nil), heapEntry("other", 0, nil), heapEntry("slow", 1000, nil)}
	cfg.Trials, cfg.Budget.Limit = 6, time.Minute // far more than it takes, also on a busy machine
	saved := 0
	h := Hooks{Checkpoint: func(r *results.Run) error {
		if saved++; r.Complete && len(r.Done) > 0 {
			t.Errorf("a complete run has unfinished steps: %q", r.Done)
		}
		return nil
	}}
	r := runWith(t, cfg, h)
	if !r.Complete || r.Seconds == 0 || r.Parameters.Budget != 60 {
		t.Errorf("complete %v, %v s, budget %v", r.Complete, r.Seconds, r.Parameters.Budget)
	}
	c := r.Cells[0]
	if slow := c.Row("slow"); slow.Stopped != results.StoppedBeaten || len(slow.Cost) != leastRounds {
		t.Errorf("the slow one stopped after %d rounds: %q", len(slow.Cost), slow.Stopped)
	}
	one := c.Row("one")
	fail.UnlessSame(t, "rounds that are proved", c.Race.Proved, leastRounds)
	for _, name := range []string{"null", "one"} {
		if row := c.Row(name); len(row.Cost) != c.Race.Rounds || row.Proof != one.Proof {
			t.Errorf("%s has %d rounds of %d, and the proof %+v", name, len(row.Cost), c.Race.Rounds, row.Proof)
		}
	}
	if control := c.Of(results.RoleControl); control == nil || len(control.Cost) != len(c.Row(control.Of).Cost) || control.Proof != one.Proof {
		t.Errorf("the control %+v has other rounds than its structure", control)
	}
	if len(one.ByKind) < leastRounds || one.Stopped == results.StoppedDone != (len(one.Cost) >= plannedRounds) {
		t.Errorf("%d rounds and %d by kind, stopped: %q", len(one.Cost), len(one.ByKind), one.Stopped)
	}
	if saved < 2 && len(one.Cost) > plannedRounds/3 {
		t.Error("rounds of further passes are not saved")
	}
}

func TestAPassEndsWithTheTimeOfTheRun(t *testing.T) {
	cfg := tinyRun(t, []string{"auto"}, []string{"hold"})
	for _, test := range []struct {
		left, longest time.Duration
		rounds        int
	}{{time.Hour, time.Hour, plannedRounds / 3}, {-time.Second, time.Hour, leastRounds}, {time.Hour, 0, leastRounds}} {
		cfg.Budget.Limit = time.Minute
		m, s := measuringOf(t, cfg)
		m.budget = Budget{Limit: 20*test.longest + 1, deadline: time.Now().Add(test.left)}
		if err := m.play(t.Context(), s.Rounds); err != nil || m.rounds() != test.rounds {
			t.Errorf("%v left, at most %v: %d rounds, want %d, %v", test.left, test.longest, m.rounds(), test.rounds, err)
		}
	}
}

func TestTheCellWithTheLeastPartOfItsRoundsIsNext(t *testing.T) {
	cfg := tinyRun(t, []string{"quadheap"}, []string{"hold", "churn"})
	cfg.N, cfg.Budget.Limit = []int{100, 100_000}, time.Hour // 16 rounds of 48 a step, and 12 of 24
	var got []string
	for _, s := range planOf(t, cfg).Steps {
		if s.further {
			got = append(got, s.Name)
		}
	}
	want := []string{
		"hold, n 100, from round 16", "churn, n 100, from round 16", "hold, n 100000, from round 12", "churn, n 100000, from round 12",
		"hold, n 100, from round 32", "churn, n 100, from round 32",
	}
	fail.UnlessSame(t, "the steps", got, want)
}

// Further rounds of a cell are made if the last ones took little enough.
func TestFurtherRoundsThatDoNotFitAreTakenOffTheList(t *testing.T) {
	cfg := tinyRun(t, []string{"quadheap"}, []string{"hold"})
	cfg.Budget.Limit = time.Minute
	m, _ := measuringOf(t, cfg)
	m.cells[m.cell] = m
	further := m.plan.Steps[slices.IndexFunc(m.plan.Steps, func(s Step) bool { return s.further })]
	for _, test := range []struct {
		left, last time.Duration
		fits       bool
	}{{time.Minute, time.Second, true}, {time.Minute, 55 * time.Second, false}, {-time.Second, 0, false}} {
		m.budget.deadline, m.last = time.Now().Add(test.left), test.last
		fail.UnlessSame(t, fmt.Sprintf("%v left, the last rounds took %v", test.left, test.last), m.fits(further), test.fits)
	}
}

func TestTheBudgetIsSpentInTheOrderOfInterest(t *testing.T) {
	of := func(name string, n, resident int) Step {
		return Step{Name: name, cell: &Cell{n: n, workload: workload.Workload{Resident: resident}}}
	}
	constant := of("constant 1e5", 1e5, 0)
	constant.cell.workload.Grid = &script.Place{Delays: workload.Constant}
	var got []string
	for _, s := range byInterest([]Step{
		constant, of("10", 10, 0), of("1e3", 1000, 0), of("1e6", 1e6, 0), of("1e5", 1e5, 0), {Name: "idle"}, of("1e4", 1e4, 0),
		of("own", 5e4, 5e4), of("large", 2e6, 2e6), {Name: "memory", analysis: replay.Memory{}},
	}) {
		got = append(got, s.Name)
	}
	fail.UnlessSame(t, "the order", got, []string{"1e3", "1e4", "own", "memory", "idle", "1e5", "constant 1e5", "10", "1e6", "large"})
	if first := byInterest([]Step{{Name: "idle"}, of("1e6", 1e6, 0), of("1e5", 1e5, 0)}); first[0].Name != "1e5" || first[1].Name != "idle" {
		t.Errorf("without a middle size, %s and %s come first", first[0].Name, first[1].Name)
	}
}

// A machine that is slower than that of the estimates has no time for all. What it leaves out
// is said, and the run ends in time.
func TestWhatDoesNotFitIntoTheBudgetIsNotMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := tinyRun(t, nil, []string{"hold", "churn", "start-stop", "reschedule"})
		cfg.Structures = []entry.Entry{{Name: "slow", New: func() structures.Scheduler[uint64] {
			return &hooked{Heap: minheap.New[uint64](), schedule: func() { time.Sleep(time.Millisecond) }}
		}}}
		cfg.Trials, cfg.Budget.Limit = 6, time.Minute
		started := time.Now()
		r := run(t, cfg)
		if took := time.Since(started); len(r.Cells) == 0 || len(r.NotMeasured) == 0 || !r.Complete || took > 2*cfg.Budget.Limit {
			t.Errorf("%d cells, not measured: %q, complete: %t, in %v", len(r.Cells), r.NotMeasured, r.Complete, took)
		}
		t.Logf("%d cells, not measured: %q, took %v", len(r.Cells), r.NotMeasured, time.Since(started))
	})
}

func TestWhichCellsAreFrugal(t *testing.T) {
	p := Profile{FrugalFrom: 1000, GridFrugalFrom: 100, Sizes: []int{999, 1000}, GridSizes: []int{99, 100}}
	hold, _ := workload.Find("hold")
	grid, _ := workload.Find("grid-uniform-50")
	unlimited := p
	unlimited.FrugalFrom, unlimited.GridFrugalFrom = 0, 0
	for _, test := range []struct {
		name string
		cfg  Config
		w    workload.Workload
		n    int
		pass int // rounds
	}{
		{"few timers", Config{Profile: p}, hold, 999, roundsPerPass},
		{"many timers", Config{Profile: p}, hold, 1000, roundsPerFrugalPass},
		{"few of the grid", Config{Profile: p}, grid, 99, roundsPerPass},
		{"many of the grid", Config{Profile: p}, grid, 100, roundsPerFrugalPass},
		{"a profile that is not frugal", Config{Profile: unlimited}, grid, 100, roundsPerPass},
		{"sizes that were chosen", Config{Profile: p, N: []int{1000}}, hold, 1000, roundsPerPass},
		{"a run in turns", Config{Profile: p, Rounds: 12}, hold, 1000, 6},
	} {
		test.cfg.Trials, test.cfg.Structures, test.cfg.Workloads = 6, []entry.Entry{heapEntry("heap", 0, nil)}, []workload.Workload{test.w}
		steps := planOf(t, test.cfg).Steps
		s := steps[slices.IndexFunc(steps, func(s Step) bool { return s.cell != nil && s.cell.n == test.n })]
		if (s.cell.leaves == allButSlow) != (test.pass == roundsPerFrugalPass) || !s.Rounds[1+test.pass].Fresh {
			t.Errorf("%s: leaves out %d, %d rounds a pass, want %d", test.name, s.cell.leaves, s.cell.perPass, test.pass)
		}
	}
}

// A cell is stored after its step and again after each further pass.
func TestAFailureOfTheFirstPassIsStoredOnce(t *testing.T) {
	m := synthetic(map[string][]float64{"a": {1, 2}, "b": {2, 1}})
	m.failed = []results.Failure{{Structure: "c"}}
	var r results.Run
	m.store(&r)
	m.store(&r)
	if len(r.Failures) != 1 || len(r.Cells) != 1 {
		t.Errorf("%d failures and %d cells, want 1 of each", len(r.Failures), len(r.Cells))
	}
	m.fail(results.Failure{Structure: "a"})
	if m.fail(results.Failure{Structure: "b"}); len(m.rows) != 1 {
		t.Errorf("%d rows are left, want the floor", len(m.rows))
	}
	if m.store(&r); len(r.Failures) != 3 || len(r.Cells) != 0 {
		t.Errorf("%d failures and %d cells without a structure, want 3 and none", len(r.Failures), len(r.Cells))
	}
}

// With a budget the single calls of two instances are sampled where the picture of latency shows them.
func TestABudgetSamplesTwoInstancesForTheRangesOfPercentiles(t *testing.T) {
	cfg := tinyRun(t, []string{"quadheap", "minheap", "hwheel"}, []string{"grid-uniform-50", "grid-uniform-0"})
	cfg.Budget.Limit = 20 * time.Second
	r := run(t, cfg)
	for _, c := range r.Cells {
		ranged := 0
		for _, row := range c.Rows {
			for _, l := range row.Latency {
				if l.P99Range != nil && l.P99Range[0] <= l.P99 && l.P99 <= l.P99Range[1] {
					ranged++
				}
			}
		}
		if half := c.Workload == "grid-uniform-50"; half != (ranged > 0) {
			t.Errorf("%s: %d distributions have a range", c.Workload, ranged)
		}
	}
}
