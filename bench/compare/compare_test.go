package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/longtest"
)

// model describes a simulated run.
type model struct {
	cells, structures int
	instances, rounds int     // rounds of each instance
	noise             float64 // standard deviation of a round, as a share
	placement         float64 // of an instance
	run               float64 // of a contender of a cell between two runs
	machine           float64 // factor of the whole run, as a logarithm
	control           float64 // factor of the control, as a logarithm
	session           string
	slow              map[string]float64 // factors by structure
	only              func(structure string) bool

	// busy disturbs every second round, and makes one process in ten 10 % slower. repeat is that of a session.
	busy   bool
	repeat int
}

var typical = model{cells: 6, structures: 6, instances: 3, rounds: 4, noise: 0.01, placement: 0.01}

// names of the simulated structures. The first one has the control.
func name(i int) string { return fmt.Sprintf("s%d", i) }

func (m model) simulate(random *rand.Rand) *results.Run {
	r := &results.Run{Format: results.Format, Version: results.Version, Complete: true, Parameters: results.Parameters{Seed: 1, Session: m.session, Repeat: m.repeat}}
	for c := range m.cells {
		cell := results.Cell{Workload: "w", N: 10 + c, Unit: script.PerLifecycle}
		add := func(structure, of string, role results.Role, factor float64) {
			if m.only != nil && !m.only(structure) {
				return
			}
			row := results.Row{Structure: structure, Of: of, Role: role}
			run := m.run*random.NormFloat64() + m.machine + math.Log(factor)
			for i := range m.instances {
				place := m.placement * random.NormFloat64()
				if m.busy && random.IntN(10) == 0 {
					place += 0.1
				}
				for k := range m.rounds {
					ns := 1e6 * math.Exp(run+place+m.noise*random.NormFloat64())
					if m.busy && random.IntN(2) == 0 {
						ns *= math.Exp2(random.Float64())
					}
					row.Cost = append(row.Cost, results.Trial{Instance: i, Round: i*m.rounds + k, NS: ns, Units: 1e4})
				}
			}
			cell.Rows = append(cell.Rows, row)
		}
		add("null", "", results.RoleFloor, 0.1)
		for i := range m.structures {
			factor := m.slow[name(i)]
			if factor == 0 {
				factor = 1
			}
			add(name(i), "", results.RoleStructure, factor)
		}
		add("s0-control", "s0", results.RoleControl, math.Exp(m.control))
		r.Cells = append(r.Cells, cell)
	}
	return r
}

func (m model) with(change func(*model)) model {
	change(&m)
	return m
}

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

const usual = 0.05 // smallest difference that counts

func compareRuns(t *testing.T, old, new *results.Run, least float64) *Table {
	t.Helper()
	c, err := Runs(old, new, least)
	fail.If(t, err)
	return c
}

// verdicts lists the rows that differ, as "slower s1/10".
func verdicts(c *Table) string {
	var out []string
	for _, r := range c.Rows {
		if r.Verdict != Same {
			out = append(out, fmt.Sprintf("%s %s/%d", r.Verdict, r.Structure, r.N))
		}
	}
	return strings.Join(out, ", ")
}

func TestAPlantedLossIsFoundAndNothingElse(t *testing.T) {
	t.Parallel()
	random := newRandom(1)
	old := typical.simulate(random)
	slow := typical.with(func(m *model) { m.slow = map[string]float64{"s2": 1.3} }).simulate(random)
	c := compareRuns(t, old, slow, usual)
	const want = "slower s2/10, slower s2/11, slower s2/12, slower s2/13, slower s2/14, slower s2/15"
	fail.UnlessSame(t, "the verdicts", verdicts(c), want)
	if len(c.Of(Slower)) != 6 || len(c.Rows) != 36 {
		t.Errorf("%d regressions, %d rows, want 6 of 36: neither the floor nor the control is one", len(c.Of(Slower)), len(c.Rows))
	}
	fail.Unless(t, c.Sentence(), "6 of 36 are slower (s2 on w, n 1", "per lifecycle; 3 more), none is faster.")
	fail.UnlessSame(t, "the other way round", verdicts(compareRuns(t, slow, old, usual)), strings.ReplaceAll(want, "slower", "faster"))
	for _, r := range c.Rows {
		if r.Structure == "s2" && (r.Ratio.Lo > 1.3 || r.Ratio.Hi < 1.3 || math.Abs(r.Ratio.Center-1.3) > 0.05) {
			t.Errorf("%+v: the interval does not hold 1.3", r)
		}
	}
}

// The control of s0 differs by 60 % in one of the files, and in another its rounds differ though its ratio is 1. No smaller effect counts,
// in either order of the files.
func TestTheControlsOfBothFilesCount(t *testing.T) {
	t.Parallel()
	random := newRandom(3)
	noisy := typical.with(func(m *model) { m.control = 0.5 })
	slow := func(m *model) { m.slow = map[string]float64{"s2": 1.4} }
	for name, files := range map[string][2]*results.Run{
		"old": {noisy.simulate(random), typical.with(slow).simulate(random)},
		"new": {typical.simulate(random), noisy.with(slow).simulate(random)},
	} {
		if c := compareRuns(t, files[0], files[1], usual); verdicts(c) != "" || c.Rows[0].Least < 0.5 {
			t.Errorf("noise in %s: %s; differences count from %v on", name, verdicts(c), c.Rows[0].Least)
		}
	}
	cell := results.Cell{Rows: []results.Row{{Structure: "s", Role: results.RoleStructure}, {Structure: "s-control", Of: "s", Role: results.RoleControl}}}
	for i := range 8 {
		for k, ns := range []int{1 + i%2, 2 - i%2} {
			cell.Rows[k].Cost = append(cell.Rows[k].Cost, results.Trial{Round: i, NS: float64(ns), Units: 1})
		}
	}
	if most := noise(stats.CostsOf(&results.Run{}, &cell)); most != 1 {
		t.Errorf("%v, though the rounds differ by 2", most)
	}
}

func TestAChangeOfAllIsTheMachinesInSeparateRuns(t *testing.T) {
	t.Parallel()
	random := newRandom(4)
	shifted := func(m *model) { m.machine = math.Log(1.2) }
	c := compareRuns(t, typical.simulate(random), typical.with(shifted).simulate(random), usual)
	fail.UnlessSame(t, "the verdicts", verdicts(c), "")
	if notes := strings.Join(c.Notes, "\n"); !strings.Contains(notes, "the median ratio is 1.2") || math.Abs(c.Shift-1.2) > 0.02 {
		t.Errorf("shift %v, notes %s", c.Shift, notes)
	}
	// A structure that slows down by as much as the machine speeds up has no ratio.
	hidden := typical.with(func(m *model) { m.machine, m.slow = -math.Log(1.2), map[string]float64{"s2": 1.2} })
	fail.UnlessSame(t, "the verdicts", verdicts(compareRuns(t, typical.simulate(random), hidden.simulate(random), usual)), "")
	// A shift makes the ratios large, but not the part of them that the machine does not explain.
	random = newRandom(13)
	old, new := typical.simulate(random), typical.with(func(m *model) { m.machine, m.run = math.Ln2, 0.04 }).simulate(random)
	for i := range old.Cells { // without controls, whose noise floor would hide the differences
		old.Cells[i].Rows, new.Cells[i].Rows = old.Cells[i].Rows[:1+typical.structures], new.Cells[i].Rows[:1+typical.structures]
	}
	fail.UnlessSame(t, "the verdicts", verdicts(compareRuns(t, old, new, usual)), "")
	// In a session the machine is the same for both.
	session := typical.with(func(m *model) { m.session, m.instances = "x", 8 })
	c = compareRuns(t, session.simulate(random), session.with(func(m *model) { m.machine = math.Log(1.2) }).simulate(random), usual)
	if got := len(c.Of(Slower)); got != 36 || !c.Session {
		t.Errorf("%d regressions in a session, want all 36", got)
	}
	other := session.with(func(m *model) { m.session = "y"; shifted(m) })
	if c = compareRuns(t, session.simulate(random), other.simulate(random), usual); c.Session || len(c.Of(Slower)) > 0 {
		t.Error("runs of two sessions count as one session")
	}
}

// Equal builds seldom differ by the smallest effect that counts: at most one comparison of twenty finds any.
func TestFalseDifferencesAreRare(t *testing.T) {
	t.Parallel()
	times := longtest.Scale(t, 10, 15, 200)
	for name, c := range map[string]struct {
		model model
		least float64
	}{
		"quiet machine": {typical, 0},
		"runs differ":   {typical.with(func(m *model) { m.run = 0.03 }), usual},
		"few others":    {typical.with(func(m *model) { m.run, m.cells, m.structures = 0.02, 2, 4 }), usual},
		"session":       {typical.with(func(m *model) { m.session, m.instances = "x", 16 }), 0.01},
	} {
		random := newRandom(5)
		wrong := 0
		for range times {
			if verdicts(compareRuns(t, c.model.simulate(random), c.model.simulate(random), c.least)) != "" {
				wrong++
			}
		}
		t.Logf("%s: %d of %d comparisons of the same find a difference", name, wrong, times)
		if float64(wrong) > 0.05*float64(times)+3*math.Sqrt(0.05*0.95*float64(times)) { // three standard deviations
			t.Errorf("%s: %d of %d comparisons of the same find a difference", name, wrong, times)
		}
	}
}

func TestNotesSayWhatIsNotCompared(t *testing.T) {
	t.Parallel()
	random := newRandom(7)
	old, new := typical.simulate(random), typical.with(func(m *model) { m.cells = 7; m.only = func(s string) bool { return s != "s3" } }).simulate(random)
	old.Environment.Go, new.Environment.Go = "go1.26.1", "go1.26.2"
	new.Parameters.Seed, new.Complete = 9, false
	new.Failures = []results.Failure{{Structure: "s3", Where: "w, n 10", Reason: "a timer was lost"}}
	old.Cells[5].Definition, new.Cells[5].Definition = 1, 2
	c := compareRuns(t, old, new, usual)
	for _, r := range c.Rows {
		if r.N == 15 {
			t.Errorf("%+v compares two definitions of a workload", r)
		}
	}
	notes := strings.Join(c.Notes, "\n")
	fail.Unless(t, notes,
		"different compilers: OLD by go1.26.1, NEW by go1.26.2",
		"different operations: OLD with seed 1, NEW with seed 9", "NEW is not complete", "NEW: s3 fails the proof on w, n 10: a timer was lost",
		"only in NEW: s0 on w, n 16 and 4 more rows", "only in OLD: s3 on w, n 10 and 4 more rows",
		"1 cell not compared, because OLD and NEW measure other operations",
	)
	session := typical.with(func(m *model) { m.session, m.instances = "x", 8 })
	harness := session.simulate(random)
	for i := range harness.Cells {
		for k := range harness.Cells[i].Rows[0].Cost {
			harness.Cells[i].Rows[0].Cost[k].NS *= 2
		}
	}
	fail.Unless(t, strings.Join(compareRuns(t, session.simulate(random), harness, usual).Notes, "\n"),
		"w, n 11: the floor (null), which contains no structure, has the ratio 2.0")
}

func TestTooFewRoundsAreUnknown(t *testing.T) {
	t.Parallel()
	random := newRandom(8)
	once := typical.with(func(m *model) { m.instances, m.rounds = 1, 1 })
	c := compareRuns(t, once.simulate(random), once.with(func(m *model) { m.slow = map[string]float64{"s2": 9} }).simulate(random), usual)
	if c.Rows[2].Verdict != Unknown || len(c.Of(Slower)) > 0 || !strings.Contains(strings.Join(c.Notes, "\n"), "36 of 36 rows have too few rounds") {
		t.Errorf("%+v, notes %q", c.Rows[2], c.Notes)
	}
}

func TestWhatCannotBeComparedIsRefused(t *testing.T) {
	t.Parallel()
	random := newRandom(9)
	a := typical.simulate(random)
	b := typical.with(func(m *model) { m.cells = 1 }).simulate(random)
	b.Cells[0].Workload = "other"
	later := typical.with(func(m *model) { m.cells = 1 }).simulate(random)
	for _, row := range later.Cells[0].Rows {
		for k := range row.Cost {
			row.Cost[k].Round += 100
		}
	}
	elsewhere := *a
	elsewhere.Environment = results.Environment{CPU: "B", Cores: 4}
	if err := SameMachine(a, &elsewhere); err == nil || !strings.HasPrefix(err.Error(), "different machines: OLD on  with 0 processors, NEW on B with 4, so") {
		t.Error(err)
	}
	fail.If(t, SameMachine(a, b))
	for name, c := range map[string]struct {
		old, new *results.Run
		want     string
	}{
		"other cells":  {a, b, "nothing in common: no structure has a cost in the same cell of both results"},
		"no cells":     {a, &results.Run{}, "nothing in common"},
		"other rounds": {a, later, "nothing in common"},
	} {
		t.Log(name)
		_, err := Runs(c.old, c.new, usual)
		fail.UnlessError(t, err, c.want)
	}
}

// A row is slower or faster if both its ratios say so by more than the least effect, with the whole interval.
func TestTheVerdictNeedsBothRatios(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		plain, center float64
		want          Verdict
	}{
		{1.2, 1.2, Slower}, {1.2, 1.14, Same}, {1.05, 1.2, Same}, {0.8, 0.8, Faster}, {0.8, 0.88, Same}, {0.95, 0.8, Same},
		{1.05, 1.05, Same}, {0.8, 1.2, Same}, {1.2, 0.8, Same},
	} {
		row := Row{Plain: c.plain, Ratio: stats.Estimate{Center: c.center, Lo: c.center / 1.05, Hi: c.center * 1.05, Rounds: 8}}
		if row.judge(nil, true, 0.1); row.Verdict != c.want {
			t.Errorf("%+v: %v", c, row.Verdict)
		}
		row.Ratio.Few = true
		if row.judge(nil, true, 0); row.Verdict != Unknown {
			t.Errorf("few rounds: %v", row.Verdict)
		}
	}
}

// The state of the machine is that of three others of the cell, or of all cells, and of no other rows of the structure itself.
func TestTheMachineIsThatOfThreeOthers(t *testing.T) {
	t.Parallel()
	at := func(of string, n int, ratio float64) Row { return Row{of: of, N: n, Plain: ratio} }
	p := at("a", 1, 9)
	cell, own := []Row{p, at("b", 1, 2), at("c", 1, 3)}, at("a", 2, 9)
	for _, c := range []struct {
		more []Row
		want float64
	}{{nil, 1}, {[]Row{own}, 1}, {[]Row{own, at("b", 2, 5)}, 3}, {[]Row{at("d", 1, 4), at("b", 2, 9)}, 3}} {
		fail.UnlessSame(t, fmt.Sprintf("%d more rows", len(c.more)), p.machine(slices.Concat(cell, c.more)), c.want)
	}
}

// Merging adds up the runs of a side. A failure stands there once, and each trial keeps its place.
func TestRunsAreMerged(t *testing.T) {
	failure := func(of string) results.Failure { return results.Failure{Structure: of} }
	run := func(seconds float64, complete bool, failures ...results.Failure) *results.Run {
		r := &results.Run{Complete: complete, Seconds: seconds, Failures: failures, Parameters: results.Parameters{Trials: 2}}
		row := results.Row{Structure: "a", Cost: []results.Trial{{Round: 1}, {Round: 2}}, ByKind: []results.Trial{{Round: 3}}}
		r.Cells = []results.Cell{{Workload: "hold", N: 10, Rows: []results.Row{row}}}
		return r
	}
	got := merge([]*results.Run{run(4, true, failure("b")), run(6, false, failure("b"), failure("c")), run(8, true)}, "s", 1)
	c := got.Cells[0]
	if len(got.Cells) != 1 || got.Seconds != 18 || got.Complete || !slices.Equal(got.Failures, []results.Failure{failure("b"), failure("c")}) {
		t.Errorf("%+v", got)
	}
	if p := got.Parameters; p.Trials != 6 || p.Layouts != 0 || p.Session != "s" || p.Repeat != Ages {
		t.Errorf("%+v", p)
	}
	row := c.Rows[0]
	if len(row.Cost) != 6 || len(row.ByKind) != 3 {
		t.Fatalf("%+v", row)
	}
	for i, trial := range append(row.Cost, row.ByKind...) {
		pair, round := i/2, 1+i%2
		if i >= 6 {
			pair, round = i-6, 3
		}
		if trial.Instance != pair || trial.Round != round+pair*roundsPerRun {
			t.Errorf("trial %d: %+v", i, trial)
		}
	}
}

func TestAnInstanceCountsByItsFastestRepetitions(t *testing.T) {
	t.Parallel()
	var samples, other []stats.Sample
	add := func(instance, round int, value float64) {
		samples = append(samples, stats.Sample{Instance: instance, Round: round, Value: value})
		other = append(other, stats.Sample{Round: round, Value: 1})
	}
	// The fastest of the four rounds with remainder 0 is 2. The two fastest of the five
	// rounds with remainder 1 are 7 and 7.
	for i, v := range []float64{3, 9, 2, 8, 90, 7, 4, 7, 900, 70} {
		add(0, i, v)
	}
	samples[8].Value = -1 // 900 is not usable
	add(5, 100, 11)
	add(5, 102, 10)
	add(5, 104, 1) // not on the other side
	other = other[:len(other)-1]
	got := condense(samples, other, 2)
	want := []stats.Sample{
		{Round: 0, Value: math.Sqrt(2 * 7)},
		{Round: 5, Value: 10},
	}
	close := func(a, b stats.Sample) bool {
		x, y := a.Value, b.Value
		a.Value, b.Value = 0, 0
		return a == b && math.Abs(x-y) < 1e-9
	}
	if !slices.EqualFunc(got, want, close) {
		t.Errorf("%+v, want %+v", got, want)
	}
	// Without repetitions all rounds count equally.
	if got := condense(samples[10:12], other, 0); len(got) != 1 || math.Abs(got[0].Value-math.Sqrt(110)) > 1e-9 {
		t.Errorf("%+v, want the mean of 10 and 11", got)
	}
}

// The figures are measured: a trial varies by 3 %, a disturbed trial takes up to twice the time, and a process varies by 1 %.
// The numbers are the defaults of ab.
var busy = model{
	cells: 4, structures: 4, instances: 16, rounds: 96, noise: 0.03, placement: 0.01, busy: true, session: "x", repeat: Ages,
	only: func(structure string) bool { return structure != "null" && structure != "s0-control" },
}

func TestASessionOnABusyMachineFindsALoss(t *testing.T) {
	t.Parallel()
	times := longtest.Scale(t, 10, 10, 100)
	found, wrong, wrongOfEqual := 0, 0, 0
	random := newRandom(11)
	const least = 0.01
	for range times {
		slow := busy.with(func(m *model) { m.slow = map[string]float64{"s0": 1.042} }).simulate(random)
		old, new := busy.simulate(random), busy.simulate(random)
		new.Cells[0] = slow.Cells[0]
		c := compareRuns(t, old, new, least)
		for i, r := range c.Rows {
			switch {
			case i == 0 && r.Verdict == Slower:
				found++
			case r.Verdict != Same:
				wrong++
			}
		}
		if verdicts(compareRuns(t, busy.simulate(random), busy.simulate(random), least)) != "" {
			wrongOfEqual++
		}
	}
	t.Logf("of %d sessions %d find the loss and %d others; %d of equal builds find one", times, found, wrong, wrongOfEqual)
	if found < times*7/10 || wrong > 1+times/10 || wrongOfEqual > 1+times/10 {
		t.Errorf("of %d sessions %d find the loss and %d others; %d of equal builds find one", times, found, wrong, wrongOfEqual)
	}
}
