package bench

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures/entry"
)

// Programs of another language stand in each cell with the structures. One that does wrong, or
// does not start, costs only its own row.
func TestExternalProgramsTakePartInARun(t *testing.T) {
	program := fail.Compiled(t, "external/testdata/misbehave.c", "external/files")
	cfg := tinyRun(t, []string{"quadheap"}, []string{"churn", "hold", "fill-drain"})
	for name, fault := range map[string]string{
		"table": "", "rounds": "coarse", "few": "limit", "loses": "lost", "twice": "double", "old": "version",
		"nan": "clock-nan", "max": "time-max", "floods": "flood", "child": "child-away",
	} {
		cfg.External = append(cfg.External, external.Spec{Name: name, Args: []string{"env", "FAULT=" + fault, program}})
	}
	cfg.External = append(cfg.External, external.Spec{Name: "c-floor", Args: []string{fail.Compiled(t, "../peers/c/floor.c", "external/files")}})
	slices.SortFunc(cfg.External, func(a, b external.Spec) int { return strings.Compare(a.Name, b.Name) })
	r, err := Run(t.Context(), planOf(t, cfg), Hooks{})
	if !r.Complete || len(r.Cells) != 3 {
		t.Fatalf("error %v, complete %v, %d cells", err, r.Complete, len(r.Cells))
	}
	for _, f := range r.Failures {
		if !slices.Contains([]string{"loses", "twice", "old", "nan", "max", "floods", "child"}, f.Structure) {
			t.Errorf("a program that does nothing wrong fails: %v", f)
		}
	}
	fail.UnlessError(t, err, "loses fails the proof on hold", "has not fired by tick", "twice fails the proof on hold",
		"a second time", "old fails the proof on its start", "speaks version 9",
		"nan fails the proof on its start", "max fails the proof on hold", "took 18446744073709551615 ns",
		"floods standard error", "child fails the proof on hold")
	var file bytes.Buffer
	fail.If(t, store.Encode(&file, r))
	if read, err := store.Decode(file.Bytes()); err != nil || len(read.Cells) != len(r.Cells) {
		t.Fatalf("the saved results cannot be read: %v", err)
	}
	for _, c := range r.Cells {
		row := c.Row
		table, structure := row("table"), row("quadheap")
		if table == nil || structure == nil || table.Role != results.RoleExternal {
			t.Fatalf("%s: rows %+v", c.Workload, c.Rows)
		}
		if len(table.Cost) != len(structure.Cost) || table.Proof != structure.Proof || table.Cost[0].NS <= 0 ||
			table.Cost[0].Units != structure.Cost[0].Units {
			t.Errorf("%s: %+v beside %+v", c.Workload, table, structure)
		}
		if floor := row("c-floor"); floor == nil || floor.Role != results.RoleFloor || floor.Proof != structure.Proof ||
			len(floor.Cost) != len(structure.Cost) {
			t.Errorf("%s: the floor of C is %+v", c.Workload, floor)
		}
		if row("few") != nil || row("old") != nil || c.Workload != "churn" && (row("loses") != nil || row("twice") != nil) {
			t.Errorf("%s: a row of a program that failed, or is not made for %d timers", c.Workload, c.N)
		}
		if coarse := row("rounds"); coarse != nil && !coarse.Coarse {
			t.Errorf("%s: %+v does not say that it fires late", c.Workload, coarse)
		}
	}
	if len(r.External) != 9 || r.External[7].Version != "a table that is searched" || !r.External[3].Inlined {
		t.Errorf("%+v", r.External)
	}
	if among := r.Among(results.RoleExternal); among.Cells[0].Rows[0].Role != r.Cells[0].Rows[0].Role ||
		slices.ContainsFunc(among.Cells[0].Rows, func(r results.Row) bool { return r.Role == results.RoleExternal }) ||
		!slices.ContainsFunc(r.Cells[0].Rows, func(r results.Row) bool { return r.Role == results.RoleExternal }) {
		t.Error("Among ranks programs as structures, and leaves the results as they are")
	}
}

// row is a row of four rounds, each of which takes a little longer.
func row(name string, role results.Role, ns float64) results.Row {
	r := results.Row{Structure: name, Role: role}
	for round := range 4 {
		r.Cost = append(r.Cost, results.Trial{Instance: round / 2, Round: round, NS: ns * (1 + float64(round)/100), Units: 1})
	}
	return r
}

// Cells of very many timers leave out structures and programs that are slow in comparison with the best
// structure, but never the structures that most programs use.
func TestWhoIsTooSlowIsLeftOutAmongManyTimers(t *testing.T) {
	t.Parallel()
	smaller := results.Cell{Workload: "hold", N: 100, Rows: []results.Row{
		row("quick", results.RoleExternal, 10), row("slow", results.RoleExternal, 85),
		row("quadheap", results.RoleStructure, 40), row("rbtree", results.RoleStructure, 90), row("list", results.RoleStructure, 500), row("pairing", results.RoleStructure, 70),
	}}
	for _, name := range []string{"minheap", "wheel", "hwheel", "skiplist", "auto"} {
		smaller.Rows = append(smaller.Rows, row(name, results.RoleStructure, 600))
	}
	smaller.Rows, smaller.LeftOut = append(smaller.Rows, row("null", results.RoleFloor, 600)), []string{"tree"} // left out by a smaller cell
	c := &Cell{n: 1000, leaves: allButSlow, entries: []entry.Entry{{Name: "quadheap"}, {Name: "rbtree"}, {Name: "list"}, {Name: "pairing"}}}
	c.workload.Name = "hold"
	var programs []*external.Program
	for _, name := range []string{"quick", "slow"} {
		programs = append(programs, &external.Program{Spec: external.Spec{Name: name}})
	}
	out := c.leaveOut([]results.Cell{smaller, {Workload: "hold", N: 1000}, {Workload: "churn", N: 100}})
	var in []string
	for _, r := range c.rows(programs, out...) {
		in = append(in, r.Structure)
	}
	if !slices.Equal(out, []string{"slow", "list", "tree"}) || !slices.Equal(in, []string{FloorName, "quadheap", "rbtree", "pairing", "quick"}) {
		t.Errorf("left out: %v, take part: %v", out, in)
	}
	if c.n = 1001; len(c.leaveOut([]results.Cell{smaller})) > 0 {
		t.Error("it leaves out what is slow among less than a tenth of its timers")
	}
	// A workload with a size of its own has no smaller cell. It leaves out structures that are slow in all other cells.
	other := smaller
	other.Workload, other.Rows = "churn", slices.Concat(smaller.Rows[:4], []results.Row{row("list", results.RoleStructure, 50)})
	c.n, c.workload.Name, c.workload.Resident = 1000, "conn-deadline", 1000
	if out := c.leaveOut([]results.Cell{smaller, other}); !slices.Equal(out, []string{"slow", "tree"}) {
		t.Errorf("slow in each of two cells: %v", out)
	}
}

// A cell of a million timers has the structures of most programs and those that are near the best with fewer timers, nine
// at most, with one instance. It says why it lacks the others.
func TestAMillionTimersHaveNineContenders(t *testing.T) {
	t.Parallel()
	smaller := results.Cell{Workload: "hold", N: 100_000}
	var entries []entry.Entry
	add := func(name string, ns float64) {
		smaller.Rows, entries = append(smaller.Rows, row(name, results.RoleStructure, ns)), append(entries, entry.Entry{Name: name})
	}
	for i := range 8 {
		add(fmt.Sprint("near-", 7-i), 1070-10*float64(i)) // near-0 is the best of these
	}
	add("far", 1600)
	for _, name := range always {
		add(name, 9000)
	}
	normal, _ := FindProfile("normal")
	hold, _ := workload.Find("hold")
	cfg := Config{Profile: normal, Trials: normal.Trials, Budget: Budget{Limit: time.Minute}}
	c := newCell(hold, 1_000_000, entries, 0)
	if steps := c.steps(cfg); len(steps) != 1 || c.instances != 1 {
		t.Errorf("%d steps, %d instances, want one", len(steps), c.instances)
	}
	out := c.leaveOut([]results.Cell{smaller, {Workload: "churn", N: 100_000}, {Workload: "hold", N: 1_000}})
	c.control = false
	in := c.rows(nil, out...)[1:]
	want := []string{"near-2", "near-3", "near-4", "near-5", "near-6", "near-7", "far"}
	slices.Sort(out)
	slices.Sort(want)
	if len(in) != mostContenders || !slices.Equal(out, want) {
		t.Errorf("%d take part, left out: %v, want %v", len(in), out, want)
	}
	conn, _ := workload.Find("conn-deadline") // no cell with fewer timers: the least ratio in others counts
	other := smaller
	other.Workload, other.Rows = "churn", slices.Clone(smaller.Rows[:9])
	other.Rows[8].Cost = smaller.Rows[7].Cost
	own := newCell(conn, 1_000_000, entries, 0)
	own.leaves = allButFew
	if out := own.leaveOut([]results.Cell{smaller, other}); len(out) != 7 || slices.Contains(out, "far") {
		t.Errorf("left out of a workload of its own size: %v", out)
	}
	m := newRunner(&Plan{}, Hooks{}).measuring(c, out...)
	if got := m.result(); got.LeftOutFor != results.LeftOutFew || len(got.LeftOut) != 7 {
		t.Errorf("%+v", got)
	}
}
