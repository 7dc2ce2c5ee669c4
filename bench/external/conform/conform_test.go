package conform

import (
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/internal/fail"
)

func verified(t *testing.T, shrink time.Duration, args []string, traces ...string) Verdict {
	t.Helper()
	limits := Limits{Hello: time.Minute, Request: 30 * time.Second, Checks: time.Minute, Shrink: shrink}
	if slices.Contains(args, "FAULT=hang") {
		limits.Request = 2 * time.Second
	}
	v, err := Verify(t.Context(), external.Spec{Name: "mine", Args: args}, traces, limits)
	fail.If(t, err)
	return v
}

// The starts that timerbench external init prints pass every check.
func TestTheStartsPass(t *testing.T) {
	t.Parallel()
	starts := map[string][]string{"c": {fail.Compiled(t, "../files/start.c", "../files")}}
	if python, err := exec.LookPath("python3"); err == nil {
		starts["python"] = []string{python, "../files/start.py"}
	}
	if rustc, err := exec.LookPath("rustc"); err == nil {
		path := filepath.Join(t.TempDir(), "mine")
		if out, err := exec.Command(rustc, "-O", "--edition", "2021", "-o", path, "../files/start.rs").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		starts["rust"] = []string{path}
	}
	traces, err := filepath.Glob("../../../traces/*.trace")
	if err != nil || len(traces) == 0 {
		t.Fatal("no recordings", err)
	}
	for language, args := range starts {
		v := verified(t, time.Second, args, traces...)
		fail.Unless(t, strings.Join(v.Notes, "; "), "equal deadlines in ", "can stop another that is due: not said")
		if !v.OK || v.Generated < 1000 || v.Recordings != len(traces) || v.Workloads < 50 || v.Named < 50 {
			t.Errorf("%s: %+v, %+v", language, v, v.Failure)
		}
	}
}

// A program says whether it can be asked, and verify finds out whether a timer that fires can stop another one that is due.
func TestASiblingThatIsDue(t *testing.T) {
	t.Parallel()
	start := fail.Read(t, "../files/start.c")
	announced := strings.Replace(start, "= TB_INLINED;", "= TB_INLINED | TB_POP_ONE;", 1)
	before, _, _ := strings.Cut(announced, "static void tb_pop(")
	takesAllFirst := before + `static void tb_pop(int64_t now) {
	uint32_t n = 0, *due = malloc((slots + 1) * sizeof *due);
	for (uint32_t slot = 0; slot < slots; slot++)
		if (deadlines[slot] != 0 && deadlines[slot] <= now) due[n++] = slot;
	for (uint32_t i = 0; i < n; i++) {
		tb_cancel(due[i]);
		tb_fired(due[i]);
	}
	free(due);
}

static uint64_t tb_len(void) { return pending; }
`
	for want, source := range map[string]string{"yes": announced, "no, it fires all the same": takesAllFirst} {
		path := filepath.Join(t.TempDir(), "mine.c")
		fail.Write(t, path, source)
		v := verified(t, time.Second, []string{fail.Compiled(t, path, "../files")})
		if got := v.Notes[len(v.Notes)-1]; !v.OK || !strings.HasSuffix(got, "can stop another that is due: "+want) {
			t.Errorf("%s, %+v, want %s", got, v.Failure, want)
		}
	}
}

// A program may keep dead entries until their deadlines. Then it grows, and the verdict says so.
func TestAProgramThatKeepsDeadEntriesGrows(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the memory of a process")
	}
	cxx, err := exec.LookPath("c++")
	if err != nil {
		t.Skip("there is no C++ compiler (c++)")
	}
	tombstones := filepath.Join(t.TempDir(), "tombstones")
	if out, err := exec.Command(cxx, "-O1", "-I../files", "-o", tombstones, "../../../peers/c/tombstones.cpp").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for program, grows := range map[string]bool{tombstones: true, fail.Compiled(t, "../files/start.c", "../files"): false} {
		v := verified(t, 20*time.Second, []string{program})
		notes := strings.Join(v.Notes, "; ")
		if !v.OK || (v.Grew > 12 && v.Grew < 40) != grows || strings.Contains(notes, "it grows by ") != grows || strings.Contains(notes, "it does not grow by ") == grows {
			t.Errorf("%s: %.1f bytes, %s, %+v", program, v.Grew, notes, v.Failure)
		}
	}
}

// Each fault gets a verdict that says what is wrong, with few operations.
func TestFaultsAreFoundAndShrunk(t *testing.T) {
	t.Parallel()
	program := fail.Compiled(t, "../testdata/misbehave.c", "../files")
	for fault, want := range map[string]struct {
		what       string
		operations int // at most; 0: no listing
	}{
		"":              {},
		"coarse":        {},
		"early":         {"timer 3 fires at tick 1, but its deadline is 2 (line 1)", 2},
		"late":          {"timer 3 must fire at tick 1: its deadline is 1 (line 1). It does not fire", 2},
		"lost":          {"timer 3 must fire at tick 1: its deadline is 1 (line 1). It does not fire", 2},
		"double":        {"timer 3 fires at tick 1, but it has fired in the same Pop", 2},
		"crash":         {"it has ended (signal: aborted", 1},
		"exit":          {"it has ended (exit status 0)", 1},
		"child-away":    {"it has ended (exit status 0)", 60},
		"garbage":       {"[info] scheduled", 1},
		"coarse-late":   {"has not fired by tick", 3},
		"time-max":      {"but its answer came after", 1},
		"hang":          {"it hangs: no answer within 2", 60},
		"flood":         {"it floods standard error", 60},
		"version":       {"speaks version 9", 0},
		"chatter":       {"it begins with \"Hello, world!", 0},
		"refuses":       {"no such device", 0},
		"clock-nan":     {"takes NaN ns", 0},
		"hides-next":    {"must fire at tick", 4},
		"keeps-cancels": {"cancelled it", 3},
		"keeps-moves":   {"moved it to tick", 4},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			shrink := 30 * time.Second // it takes less
			if slices.Contains([]string{"hang", "flood", "child-away"}, fault) {
				shrink = 3 * time.Second // each try takes long
			}
			v := verified(t, shrink, []string{"env", "AFTER=0", "FAULT=" + fault, program})
			if want.what == "" {
				if !v.OK {
					t.Errorf("a program that does nothing wrong: %+v", v.Failure)
				}
				return
			}
			if v.OK || v.Failure == nil {
				t.Fatalf("nobody noticed: %+v", v)
			}
			f := v.Failure
			if !strings.Contains(f.What, want.what) || len(f.Operations) > want.operations || want.operations > 0 && len(f.Operations) == 0 {
				t.Errorf("in %s: %q, want %q; %d operations, want at most %d:\n%s", f.Check, f.What, want.what,
					len(f.Operations), want.operations, strings.Join(f.Operations, "\n"))
			}
		})
	}
}

// A program that hangs, ends, prints or floods before its hello gets a verdict, too.
func TestBadStartsGetAVerdict(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]string{
		"exec sleep 1000": "it hangs: no answer within 2",
		"sleep 1000":      "it hangs: no answer within 2", // the shell and its child end
		"exit 3":          "it has ended (exit status 3)",
		"echo sorry >&2":  "it has ended (exit status 0); it said: sorry",
		"yes":             "it begins with \"y\\ny\\n",
		"yes >&2":         "it floods standard error: more than 4 MB",
		"printf TMBH":     "it wrote \"TMBH\", and no more",
	} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			limits := Limits{Hello: 2 * time.Second, Request: time.Second, Checks: time.Second, Shrink: time.Second}
			if want[:8] != "it hangs" {
				limits.Hello = time.Minute
			}
			v, err := Verify(t.Context(), external.Spec{Name: "mine", Args: []string{"sh", "-c", program}}, nil, limits)
			if err != nil || v.OK || v.Failure.Check != "start" || !strings.Contains(v.Failure.What, want) {
				t.Errorf("%+v, %v; want %q", v.Failure, err, want)
			}
		})
	}
}

// A program whose time is over passes only if it got through all named cases but one, which may be too slow.
func TestAProgramMustGetThroughTheNamedCasesInTime(t *testing.T) {
	for _, limit := range []int{0, 1000} {
		all := len(namedCases(limit))
		for _, named := range []int{0, all / 2, all - 2, all - 1, all} {
			k := &kit{ctx: t.Context(), verdict: &Verdict{Named: named}, program: &external.Program{}, deadline: time.Now().Add(-time.Second)}
			k.program.About.Limit = limit
			fail.If(t, k.run(nil, 0))
			if failed := k.verdict.Failure != nil; failed != (named < all-1) {
				t.Errorf("%d of %d named cases in time: failed %t", named, all, failed)
			}
		}
	}
}

// A program that answers late, or hangs among many operations, each of which has time, is told so within the time limit.
func TestALateProgramIsToldSoInTime(t *testing.T) {
	t.Parallel()
	program := fail.Compiled(t, "../testdata/misbehave.c", "../files")
	for _, c := range []struct {
		faults         []string
		limits         Limits
		check, message string
		most           time.Duration
	}{
		{[]string{"FAULT=slow"}, Limits{Hello: time.Minute, Request: time.Minute, Checks: time.Second, Shrink: time.Second},
			"", "it answers too late", 50 * time.Second},
		{[]string{"FAULT=hang", "AFTER=3000"}, Limits{Hello: 8 * time.Second, Request: 5 * time.Second, Checks: 8 * time.Second, Shrink: time.Second},
			"named case: many timers between two ticks", "it hangs: no answer within", 50 * time.Second},
	} {
		started := time.Now()
		spec := external.Spec{Name: "mine", Args: slices.Concat([]string{"env"}, c.faults, []string{program})}
		v, err := Verify(t.Context(), spec, nil, c.limits)
		if err != nil || v.OK || !strings.Contains(v.Failure.What, c.message) || c.check != "" && v.Failure.Check != c.check {
			t.Errorf("%q: %+v, %v", c.faults, v.Failure, err)
		}
		if took := time.Since(started); took > c.most {
			t.Errorf("%q: the verdict took %v", c.faults, took)
		}
	}
}

func TestWhatIsWrongIsExplained(t *testing.T) {
	ops := []op{
		newOp(schedule, 0, 5), newOp(schedule, 1, 9), newOp(schedule, 2, 9), newOp(cancel, 2, 0), newOp(reschedule, 1, 7), newOp(pop, 0, 5), newOp(pop, 0, 7), newOp(pop, 0, 9),
	}
	lost := func(pop int, slot uint32) external.WrongFire {
		return external.WrongFire{Pop: pop, Slot: slot, Lost: true}
	}
	wrong := func(pop int, slot uint32) external.WrongFire { return external.WrongFire{Pop: pop, Slot: slot} }
	for _, c := range []struct {
		wrong external.WrongFire
		fired []external.Fire
		at    int
		what  string
	}{
		{lost(0, 0), []external.Fire{{At: 7, Slot: 1}}, 5, "timer 0 must fire at tick 5: its deadline is 5 (line 1). It does not fire"},
		{lost(1, 1), []external.Fire{{At: 9, Slot: 1}}, 6, "timer 1 must fire at tick 7: line 5 moved it to tick 7. It fires at tick 9"},
		{wrong(0, 1), nil, 5, "timer 1 fires at tick 5, but line 5 moved it to tick 7"},
		{wrong(2, 2), nil, 7, "timer 2 fires at tick 9, but line 4 cancelled it"},
		{wrong(1, 0), nil, 6, "timer 0 fires at tick 7, but it has fired at tick 5 (line 6)"},
		{external.WrongFire{Slot: 0, Again: true}, nil, 5, "timer 0 fires at tick 5, but it has fired in the same Pop"},
		{wrong(1, 8), nil, 6, "timer 8 fires at tick 7, but this slot never had a timer"},
	} {
		if at, what := explain(&c.wrong, ops, c.fired); at != c.at || what != c.what {
			t.Errorf("%+v: line %d, %q; want %d, %q", c.wrong, at+1, what, c.at+1, c.what)
		}
	}
	want := "   6  Pop(5)               fires 0   <- fails here"
	fail.UnlessSame(t, "the listing", listing(ops, 5)[5], want)
}

// Whatever fails is shrunk to the operations that it needs.
func TestShrinkingKeepsWhatIsNeeded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		ops := batch(r.Uint64())
		needs := func(ops []op) *fault { // a timer that was moved twice
			moves := make(map[uint32]int)
			for i, o := range ops {
				switch o.Kind {
				case schedule:
					moves[o.Slot] = 0
				case reschedule:
					if moves[o.Slot]++; moves[o.Slot] == 2 {
						return &fault{at: i}
					}
				}
			}
			return nil
		}
		got, _ := shrunk(ops, *needs(ops), time.Now().Add(time.Minute), needs)
		fail.UnlessSame(t, "the operations", got, []op{newOp(schedule, 1, 1), newOp(reschedule, 1, 1), newOp(reschedule, 1, 1)})
	}
}

// Named cases and generated programs hold only what the protocol allows.
func TestChecksAreValid(t *testing.T) {
	for _, c := range append(namedCases(0), named{name: "generated", ops: batch(1)}) {
		if valid, _ := onlyValid(c.ops, math.MaxInt64); len(valid) != len(c.ops) {
			t.Errorf("%s: %d of %d operations are valid", c.name, len(valid), len(c.ops))
		}
	}
}

func TestARecordingThatCannotBeReadIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.trace")
	fail.Write(t, path, "no trace")
	spec := external.Spec{Name: "mine", Args: []string{fail.Compiled(t, "../files/start.c", "../files")}}
	_, err := Verify(t.Context(), spec, []string{path}, DefaultLimits)
	fail.UnlessError(t, err, "bad.trace")
}
