package answer

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/bench/stats"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/catalog"
)

// All questions of the form, for each kept run: no answer contradicts its table or its cell.
func TestNoAnswerContradictsTheData(t *testing.T) {
	t.Parallel()
	runs, err := kept.All()
	fail.If(t, err)
	for _, r := range runs {
		run := Of(r, catalog.All())
		a := run.Adviser()
		f := a.Form()
		answered, singles := 0, 0
		for _, x := range append(slices.Clone(f.Answers), programsOf(f)...) {
			if x.Named != "" {
				answered++
				singles += checkAnswer(t, run, x)
			}
		}
		if answered < 500 || singles < 60 {
			t.Errorf("%s: %d answers, %d of a cell", r.Environment.CPU, answered, singles)
		}
	}
}

func programsOf(f *Form) (out []Answer) {
	for _, p := range f.Programs {
		out = append(out, p.Answer)
	}
	return out
}

// checkAnswer returns 1 for an answer by time from one cell.
func checkAnswer(t *testing.T, run *Run, x Answer) (single int) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s: "+format, append([]any{run.Environment.CPU, x.Question.Words()}, args...)...)
	}
	said := strings.Join(x.Lines, " ")
	at := slices.IndexFunc(x.Rows, func(r Row) bool { return r.Structure == x.Named })
	if len(x.Lines) > 3 || len(x.Rows) > mostRows || at < 0 || !strings.Contains(said, "Take "+x.Named) || len(x.Cells) == 0 {
		fail("%d lines, %d rows, the named one is %d: %s", len(x.Lines), len(x.Rows), at, said)
		return 0
	}
	if best := strings.Contains(said, "It is the best"); best != (x.Rows[0].Structure == x.Named) && len(x.Rows) > 1 && x.Rows[1].Group == x.Rows[0].Group {
		fail("the first row is %s: %s", x.Rows[0].Structure, said)
	}
	for _, row := range x.Rows {
		e, _ := run.Entry(row.Structure)
		if x.Question.Late == e.Exact() && row.Group != InStruct || row.Group == InStruct && x.Question.Late {
			fail("%s is in group %q", row.Structure, row.Group)
		}
		decides := row.Figure
		if x.Question.By == Time {
			if decides = row.Net; decides.Center == 0 {
				decides = row.Ratio
			}
		}
		if x.Named == Default && row.Group == Exact && decides.Center > 0 && decides.Hi < 1/stats.NamedUpTo {
			fail("auto is named, and %s has %v", row.Structure, decides)
		}
		if row.Ties != slices.Contains(x.Ties, row.Structure) || row.Structure == x.Named && decides.Center != 0 && decides.Center != 1 {
			fail("%s: %+v", row.Structure, row)
		}
	}
	if len(x.Cells) > 1 || x.Question.By != Time {
		return 0
	}
	var cell *stats.Costs
	for _, c := range run.CellsOf(x.Cells[0].Workload) {
		if c.N == x.Cells[0].N {
			cell = c
		}
	}
	if named := cell.Named(); x.Question.Order == "" && !x.Question.Late && named.Structure != x.Named {
		fail("%s is named, and %s in the cell", x.Named, named.Structure)
	}
	named := cell.Row(x.Named)
	for _, row := range x.Rows {
		of := cell.Row(row.Structure)
		if want := cell.Cost(of).Center; row.NS != want || row.Ratio.Center != cell.Ratio(of, named).Center || row.Net.Center != cell.Net(of, named).Center {
			fail("%s: %+v, the cell has %v ns", row.Structure, row, want)
		}
		if row.Group == Exact && x.Question.Order == "" && row.Ties != cell.Ties(of) {
			fail("%s ties: %v", row.Structure, row.Ties)
		}
	}
	return 1
}

// advised is an adviser of one kept run.
func advised(t *testing.T) *Adviser {
	t.Helper()
	r, err := kept.Last()
	fail.If(t, err)
	return Of(r, catalog.All()).Adviser()
}

// A question is answered by its cell, or else by the nearest one, and the answer says how that differs. What is not given matches any.
func TestWhichCellsAnswerAQuestion(t *testing.T) {
	t.Parallel()
	a := advised(t)
	for _, c := range []struct {
		q    Question
		want string // the cells, and how they differ
	}{
		{Question{N: 1e5, Cancel: 0.9, Reschedule: Unknown, Delays: "constant"}, "grid-constant-90 100000; "},
		{Question{N: 3e4, Cancel: 0.85, Reschedule: 0, Delays: "uniform"}, "grid-uniform-90 10000 3.0 times fewer timers, 90 % cancelled; "},
		{Question{N: 1e6, Cancel: 0.5, Reschedule: 0.6}, "reschedule 1000000 94 % of the calls move a timer, 0 % cancelled; "},
		{Question{N: 1e7, Cancel: 0, Reschedule: 0, Delays: "uniform"}, "grid-uniform-0 1000000 10 times fewer timers; "},
		{Question{N: 1000, Cancel: 0.9, Reschedule: Unknown}, "grid-constant-90 1000; grid-uniform-90 1000; grid-clustered-90 1000; "},
		{Question{N: 1000, Cancel: Unknown, Reschedule: Unknown, Program: "conn-deadline"}, "conn-deadline 1000; "},
		{Question{Cancel: Unknown, Reschedule: Unknown, Program: "http-server"}, "http-server 10000; "},
	} {
		x, err := a.Answer(c.q)
		got := ""
		for _, cell := range x.Cells {
			got += strings.TrimSpace(cell.Workload+" "+strconv.Itoa(cell.N)+" "+cell.Differs) + "; "
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %q, want %q", c.q.Words(), err, got, c.want)
		}
		if differs := strings.Contains(strings.Join(x.Lines, " "), "That is not the question"); differs != strings.Contains(c.want, " timers") && differs != strings.Contains(c.want, "%") {
			t.Errorf("%q: it says that it differs: %v", x.Lines, differs)
		}
	}
	for _, q := range []Question{{N: 0.5}, {Cancel: 2}, {Delays: "odd"}, {By: "speed"}, {Order: "lifo"}, {Program: "absent"}, {Rate: Rate{Timers: -1}}, {N: math.Inf(1)}} {
		if _, err := a.Answer(q); err == nil {
			t.Errorf("%+v has an answer", q)
		}
	}
}

// An answer begins with whether timers matter: below one per cent of a core a program keeps package time.
func TestWhetherItMatters(t *testing.T) {
	t.Parallel()
	a := advised(t)
	q := Question{N: 1e5, Cancel: 0.9, Reschedule: 0, Delays: "uniform"}
	for _, c := range []struct {
		rate Rate
		want []string
		keep bool
	}{
		{Rate{}, []string{"Keep package time up to about "}, true},
		{Rate{Timers: 100, Moves: 100}, []string{"At 100 timers a second, package time takes ", "the driver on ", " itself "}, true},
		{Rate{Timers: 1e6, Moves: 1e6}, []string{"At 1M timers a second, package time takes "}, false},
		{Rate{Timers: 1e3, Calls: 4e6}, []string{"At 4M calls a second, "}, true},
	} {
		q.Rate = c.rate
		x, err := a.Answer(q)
		if err != nil || len(x.Lines) != 3 {
			t.Fatalf("%v, %q", err, x.Lines)
		}
		fail.Unless(t, x.Lines[0], c.want...)
		if strings.Contains(strings.ToLower(x.Lines[0]), "keep package time") != c.keep {
			t.Errorf("%+v: %q", c.rate, x.Lines[0])
		}
	}
}

// Without a share that is cancelled, the price is that of the middle cell, and the sentence says so.
func TestAPriceNamesItsShareOfCancels(t *testing.T) {
	t.Parallel()
	a := advised(t)
	line := func(cancel, rate float64) string {
		x, err := a.Answer(Question{N: 1e4, Cancel: cancel, Reschedule: Unknown, Rate: Rate{Timers: rate, Moves: rate}})
		fail.If(t, err)
		return x.Lines[0]
	}
	const share = " if 50 % are cancelled"
	fail.Unless(t, line(Unknown, 0), "timers a second"+share+": ")
	fail.UnlessSame(t, "the price", strings.Replace(line(Unknown, 5e4), share, "", 1), line(0.5, 5e4))
}

// The rate of a program that moves timers is one of moves. No figure stands there twice.
func TestSentencesAboutPrograms(t *testing.T) {
	t.Parallel()
	a := advised(t)
	for name, want := range map[string]string{"conn-deadline": "At 50k moves a second, ", "kafka-purgatory": "At 50k timers a second, "} {
		x, err := a.Answer(Question{Program: name, Cancel: Unknown, Reschedule: Unknown, N: 300, Rate: Rate{Timers: 5e4, Moves: 5e4}})
		fail.If(t, err)
		fail.Unless(t, x.Lines[0], want, "auto ")
		if strings.Count(x.Lines[1], "times its time") > 1 {
			t.Errorf("%s: %q", name, x.Lines[1])
		}
	}
}

// Structures that have no round in common do not tie.
func TestWithoutARatioThereIsNoTie(t *testing.T) {
	t.Parallel()
	c := timed("hold", map[string]float64{"minheap": 10, "list": 10})
	for i := range c.Rows[0].Cost {
		c.Rows[0].Cost[i].Round += 100
	}
	c.Unit = "lifecycle"
	for i := range c.Rows {
		for j := range c.Rows[i].Cost {
			c.Rows[i].Cost[j].Ops = 20
		}
	}
	x, err := with(nil, []string{"minheap", "list"}, c).Adviser().Answer(Question{Cancel: Unknown, Reschedule: Unknown})
	if err != nil || len(x.Rows) != 2 || len(x.Ties) != 1 {
		t.Errorf("%v: %q tie: %q", err, x.Ties, x.Lines)
	}
}

// A question that wants order or late structures has no others in its table, and what matters is quoted.
func TestTheFieldIsNarrow(t *testing.T) {
	t.Parallel()
	a := advised(t)
	q := Question{N: 1e4, Cancel: 0.9, Reschedule: 0, Delays: "uniform", Order: FIFO}
	x, err := a.Answer(q)
	fail.If(t, err)
	for _, row := range x.Rows {
		if e, _ := a.r.Entry(row.Structure); e.Ties.String() != "FIFO" && row.Group != InStruct {
			t.Errorf("%s has no order", row.Structure)
		}
	}
	for by, want := range map[By]string{Memory: " bytes per timer", Idle: " wake-ups for each timer", Longest: " for the longest call", Tail: "99th percentile"} {
		if x, err := a.Answer(Question{N: 1e4, Cancel: 0.9, Reschedule: 0, Delays: "uniform", By: by}); err != nil || !strings.Contains(strings.Join(x.Lines[1:], " "), want) {
			t.Errorf("by %s: %v, %q", by, err, x.Lines)
		}
	}
}

// Rounds that fall into two groups are named in the sentences and in the table.
func TestRoundsInTwoGroupsAreNamed(t *testing.T) {
	t.Parallel()
	c := timed("hold", map[string]float64{"minheap": 10})
	for i := range c.Rows[0].Cost {
		c.Rows[0].Cost[i].Ops = 20
		if i%2 == 0 {
			c.Rows[0].Cost[i].NS *= 5
		}
	}
	c.Unit = "lifecycle"
	x, err := with(nil, []string{"minheap"}, c).Adviser().Answer(Question{Cancel: Unknown, Reschedule: Unknown})
	table, legend := x.Table()
	if err != nil || !strings.Contains(strings.Join(x.Lines, " "), "Its rounds fall into two groups, of 10 and 50 ns.") ||
		!strings.Contains(table.Wide(), "30 (2 groups)") || !strings.Contains(legend, " minheap has rounds in two groups: 10 and 50 ns.") || x.Rows[0].Groups != "two groups: 10 and 50" {
		t.Errorf("%v, %q\n%s", err, x.Lines, table.Terminal())
	}
}

// A figure has its interval where that is wider than its digits. One from nothing to everything says nothing.
func TestFiguresHaveTheirIntervals(t *testing.T) {
	t.Parallel()
	of := func(center, lo, hi float64, few bool) stats.Estimate {
		return stats.Estimate{Center: center, Lo: lo, Hi: hi, Rounds: 3, Few: few}
	}
	for want, e := range map[string]stats.Estimate{
		"–": {}, "0.50": of(0.5, 0.5, 0.5, true), "0.87 (0.50–1.50)": of(0.87, 0.5, 1.5, false),
		"0.87 (0.50–1.50*)": of(0.87, 0.5, 1.5, true), "0.87 (?)": of(0.87, 0.05, 1.5, false),
	} {
		fail.UnlessSame(t, fmt.Sprintf("%+v", e), Times(e).String(), want)
	}
	groups := of(30, 20, 40, false)
	groups.Groups = [2]float64{20, 40}
	if got := Cost(groups).(show.Cell).String(); got != "30 (20–40; two groups: 20 and 40)" || Cost(stats.Estimate{}) != nil {
		t.Errorf("%q", got)
	}
}

// A packed run gives the answers of the whole run.
func TestPackingKeepsTheAnswers(t *testing.T) {
	t.Parallel()
	r, err := kept.Last()
	fail.If(t, err)
	path := filepath.Join(t.TempDir(), "packed")
	if _, err := store.Keep(path, r); err != nil {
		t.Fatal(err)
	}
	again, err := store.ReadFile(path)
	fail.If(t, err)
	a, b := Of(r, catalog.All()).Adviser(), Of(again, catalog.All()).Adviser()
	for _, by := range Bys {
		q := Question{N: 1e5, Cancel: 0.9, Reschedule: 0, Delays: "uniform", By: by}
		x, err1 := a.Answer(q)
		y, err2 := b.Answer(q)
		if err1 != nil || err2 != nil || !reflect.DeepEqual(x, y) {
			t.Errorf("by %s the answers differ: %v, %v", by, err1, err2)
		}
	}
}
