package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/lines"
	"github.com/timerbench/timerbench/internal/atomicfile"
	"github.com/timerbench/timerbench/structures/catalog"
)

const goalsFile = "goals.md"

const million = 1_000_000

type goalsFlags struct {
	out    string
	trials int
	scale  int
}

func newGoals() *cobra.Command {
	f := goalsFlags{}
	cmd := &cobra.Command{
		Use:   "goals",
		Short: "Measure the fastest structures against the project's goals",
		Long: `Measure the fastest structures against the project's goals, among a million and ten
million timers, beside Go's own timers and the least that memory takes: the floor.

Trials of all contenders are interleaved, so ratios hold where absolute times
depend on the machine and on who else uses it. The tables go to ` + goalsFile + ` as well. It
takes some minutes and 6 GB of memory.`,
		Example: "  timerbench goals\n  timerbench goals --scale 100 --trials 3   # a hundredth of the timers, to see that it works",
		Args:    cobra.NoArgs,
		RunE: stoppable(func(ctx context.Context, cmd *cobra.Command, _ []string) error {
			return f.run(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		}),
	}
	cmd.Flags().StringVarP(&f.out, "out", "o", "out", "`directory` for "+goalsFile)
	cmd.Flags().IntVar(&f.trials, "trials", 5, "timed trials of each line")
	cmd.Flags().IntVar(&f.scale, "scale", 1, "divide the numbers of timers by this; goals are not judged then")
	return cmd
}

// measured is all that the tables show.
type measured struct {
	scale   int
	figures []lines.Figure
	floors  map[int]lines.Floor
	memory  map[string]lines.Memory // by structure, among ten million
	perN    lines.Memory            // of hwheel among a million
	tail    lines.Tail
	idle    map[string]lines.Idle
}

func (f *goalsFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	if f.trials < 1 {
		return fmt.Errorf("--trials %d: want at least 1", f.trials)
	}
	if f.scale < 1 || f.scale > million/1000 {
		return fmt.Errorf("--scale %d: want a number from 1 to %d", f.scale, million/1000)
	}
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return fmt.Errorf("--out %s: %w", f.out, err)
	}
	m, err := f.measure(ctx, stderr)
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, m.tables(func(t table.Writer) string { return t.Render() }))
	path := filepath.Join(f.out, goalsFile)
	err = atomicfile.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, m.tables(func(t table.Writer) string { return t.RenderMarkdown() })+"\n")
		return err
	})
	if err != nil {
		return fmt.Errorf("writing the goals: %w", err)
	}
	fmt.Fprintln(stderr, "the tables are in", path)
	return nil
}

func (f *goalsFlags) measure(ctx context.Context, stderr io.Writer) (*measured, error) {
	m := &measured{
		scale: f.scale, floors: map[int]lines.Floor{},
		memory: map[string]lines.Memory{}, idle: map[string]lines.Idle{},
	}
	started := time.Now()
	step := func(format string, args ...any) {
		fmt.Fprintf(stderr, "[%3.0fs] %s\n", time.Since(started).Seconds(), fmt.Sprintf(format, args...))
	}
	one, ten := million/f.scale, 10*million/f.scale
	for _, n := range []int{one, ten} {
		step("the floor among %d", n)
		m.floors[n] = lines.MeasureFloor(n)
	}
	// Before all else: the runtime keeps room for timers of its own that were stopped
	// long ago, and the collector goes through it.
	hwheel := contenders("hwheel")[0]
	m.perN = lines.MeasureMemory(hwheel, one)
	memory := func(c lines.Contender) {
		step("memory among %d: %s", ten, c.Name)
		m.memory[c.Name] = lines.MeasureMemory(c, ten)
	}
	memory(hwheel)
	memory(contenders("minheap-std")[0])
	const operations = 500_000
	// Each beside those that it is compared with. Slow ones do less, or they would
	// take minutes.
	for _, c := range []struct {
		n, operations int
		contenders    []lines.Contender
	}{
		{one, operations, append(contenders("hwheel", "hwheel-list", "wheel"), lines.Time())},
		{one, operations / 5, contenders("minheap", "quadheap", "minheap-std")},
		{one, operations / 10, contenders("rbtree", "rbtree-gods", "btree-google")},
		{one, operations / 10, contenders("skiplist", "skiplist-huandu")},
		{ten, 2 * operations, append(contenders("hwheel"), lines.Time())},
	} {
		step("%d timers: %s", c.n, names(c.contenders))
		figures, err := lines.Compare(ctx, lines.All(), c.n, f.trials, c.operations, c.contenders)
		if err != nil {
			return nil, err
		}
		m.figures = append(m.figures, figures...)
	}
	step("single calls among %d: hwheel", ten)
	m.tail = lines.MeasureTail(hwheel, ten, ten/5)
	for _, c := range contenders(idlers...) {
		step("next to nothing to do: %s", c.Name)
		m.idle[c.Name] = lines.MeasureIdle(c)
	}
	memory(lines.Time())
	return m, nil
}

// idlers are the structures that are measured with next to nothing to do: one of
// each kind.
var idlers = []string{"hwheel", "hwheel-list", "wheel", "quadheap", "rbtree", "skiplist"}

// contenders returns structures of the catalog.
func contenders(names ...string) []lines.Contender {
	var out []lines.Contender
	for _, name := range names {
		e, ok := catalog.Find(name)
		if !ok {
			panic("no structure " + name)
		}
		out = append(out, lines.Contender{Name: e.Name, New: e.New})
	}
	return out
}

func names(contenders []lines.Contender) string {
	var list []string
	for _, c := range contenders {
		list = append(list, c.Name)
	}
	return strings.Join(list, ", ")
}

func (m *measured) tables(render func(table.Writer) string) string {
	return strings.Join([]string{
		"Nanoseconds an operation, delays uniform over 60,000 ticks, values of 8 bytes. Floor: a random record of\n" +
			"32 bytes read and written, by itself. Time: time.AfterFunc and Stop, or Reset.\n",
		render(m.goals()),
		"\nHeaps, trees and lists: how many times as fast as theirs, the least of the lines.\n",
		render(m.ratios()),
		"\nWhat else there is.\n",
		render(m.sides()),
		"\nAll figures.\n",
		render(m.all()),
	}, "\n")
}

// verdict judges, unless the numbers of timers are not those that goals are for.
func (m *measured) verdict(met bool) string {
	switch {
	case m.scale > 1:
		return "–"
	case met:
		return "met"
	}
	return "missed"
}

func (m *measured) goals() table.Writer {
	t := newTable("line", "timers", "goal", "best", "structure", "to the floor", "time", "time to best", "verdict")
	for _, g := range lines.Goals() {
		n := g.N / m.scale
		best, ok := lines.Best(m.figures, g.Line, n)
		if !ok {
			continue
		}
		real, ratio := "–", "–"
		if f, ok := lines.Of(m.figures, "time", g.Line, n); ok {
			real, ratio = fmt.Sprintf("%.0f", f.NS), fmt.Sprintf("%.1fx", f.NS/best.NS)
		}
		t.AppendRow(table.Row{
			g.Line, n, fmt.Sprintf("%.0f", g.NS), fmt.Sprintf("%.1f", best.NS), best.Structure,
			fmt.Sprintf("%.1fx", best.NS/m.floors[n].Touch), real, ratio, m.verdict(best.NS <= g.NS),
		})
	}
	return t
}

func (m *measured) ratios() table.Writer {
	t := newTable("ours", "theirs", "lines", "goal", "least", "on", "verdict", "")
	n := million / m.scale
	for _, g := range lines.RatioGoals() {
		list, which := g.Lines, "all"
		if list == nil {
			list = lines.All()
		} else {
			which = string(list[0])
		}
		least, on := 0.0, lines.Line("")
		for _, line := range list {
			ours, ok1 := lines.Of(m.figures, g.Ours, line, n)
			theirs, ok2 := lines.Of(m.figures, g.Theirs, line, n)
			if ratio := theirs.NS / ours.NS; ok1 && ok2 && (on == "" || ratio < least) {
				least, on = ratio, line
			}
		}
		t.AppendRow(table.Row{g.Ours, g.Theirs, which, fmt.Sprintf("%.0fx", g.Times), fmt.Sprintf("%.2fx", least), on, m.verdict(least >= g.Times), g.Why})
	}
	return t
}

func (m *measured) sides() table.Writer {
	t := newTable("what", "goal", "best", "structure", "beside it", "verdict")
	l, w := lines.Limits, m.memory["hwheel"]
	one, ten := million/m.scale, 10*million/m.scale
	row := func(what string, goal, best float64, structure, beside string) {
		t.AppendRow(table.Row{what, goal, fmt.Sprintf("%.*f", digits(best), best), structure, beside, m.verdict(best <= goal)})
	}
	row(fmt.Sprintf("bytes a timer beyond the value, %d", one), l.BytesPerTimer, m.perN.PerTimer, "hwheel",
		fmt.Sprintf("time %.0f, minheap-std %.0f", m.memory["time"].PerTimer, m.memory["minheap-std"].PerTimer))
	row(fmt.Sprintf("full collection, %d, ms", ten), l.GC, ms(w.GC), "hwheel",
		fmt.Sprintf("time %.0f, minheap-std %.0f", ms(m.memory["time"].GC), ms(m.memory["minheap-std"].GC)))
	row(fmt.Sprintf("longest of %d calls, %d, ms", m.tail.Calls, ten), l.MaxCall, m.tail.Max/1e6, "hwheel", "")
	row(fmt.Sprintf("p99.9 of them, %d, us", ten), l.P999, m.tail.P999/1e3, "hwheel", "")
	tick := func(i lines.Idle) float64 { return i.PerTick }
	steps := func(i lines.Idle) float64 { return us(i.Took) }
	best, beside := m.bestIdle(tick, func(i lines.Idle) string { return fmt.Sprintf("%.1f", i.PerTick) })
	row("3.6 million ticks, 1000 timers, ns a tick", l.IdleTick, tick(m.idle[best]), best, beside)
	best, beside = m.bestIdle(steps, func(i lines.Idle) string {
		return fmt.Sprintf("%.0f (%d steps)", us(i.Took), i.Steps)
	})
	row(fmt.Sprintf("the same by Next, us in all; %d ticks fire", m.idle[best].Firing), l.IdleSteps, steps(m.idle[best]), best, beside)
	return t
}

// digits is how many digits behind the point a figure is worth.
func digits(x float64) int {
	switch {
	case x < 3:
		return 2
	case x < 100:
		return 1
	}
	return 0
}

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }
func us(d time.Duration) float64 { return d.Seconds() * 1e6 }

// bestIdle returns the structure with the least figure, and what to say of all of
// them.
func (m *measured) bestIdle(figure func(lines.Idle) float64, say func(lines.Idle) string) (best, beside string) {
	var list []string
	for _, name := range idlers {
		i, ok := m.idle[name]
		if !ok {
			continue
		}
		if best == "" || figure(i) < figure(m.idle[best]) {
			best = name
		}
		list = append(list, name+" "+say(i))
	}
	return best, strings.Join(list, ", ")
}

func (m *measured) all() table.Writer {
	t := newTable("timers", "structure", lines.StartStop, lines.Churn, lines.Reschedule, lines.Hold, lines.FillDrain)
	for _, n := range []int{million / m.scale, 10 * million / m.scale} {
		t.AppendRow(table.Row{n, "floor: touch, chase", fmt.Sprintf("%.1f, %.0f", m.floors[n].Touch, m.floors[n].Chase)})
		seen := map[string]bool{}
		for _, f := range m.figures {
			if f.N != n || seen[f.Structure] {
				continue
			}
			seen[f.Structure] = true
			row := table.Row{n, f.Structure}
			for _, line := range lines.All() {
				cell := "–"
				if f, ok := lines.Of(m.figures, f.Structure, line, n); ok {
					cell = fmt.Sprintf("%.1f", f.NS)
				}
				row = append(row, cell)
			}
			t.AppendRow(row)
		}
	}
	return t
}
