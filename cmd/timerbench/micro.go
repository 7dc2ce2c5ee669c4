package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/micro"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/report"
	"github.com/timerbench/timerbench/structures/catalog"
)

type microFlags struct {
	structures string
	workloads  string
	sizes      sizes
	trials     int
	memory     float64 // GB; 0: what is available
	chart      string
}

func newMicro() *cobra.Command {
	var f microFlags
	cmd := &cobra.Command{
		Use:   "micro",
		Short: "Measure structures of a few nanoseconds by lean loops",
		Long: `Measure structures by loops that do nothing but the operations of a workload, where
run takes several nanoseconds more to prove each one. Beside them stand the floors: what
the loops take by themselves (null), with records to keep (stub), what memory takes, and
Go's own timers.

Trials of all structures are interleaved, so ratios hold within a table. Structures that
do not fit into memory side by side are measured one after the other, and the table says
so. Figures are medians. The second table is of single calls: every call is made and timed
in three rounds, and counts with its shortest time.

Up to 1e8 timers take part. What would not fit into memory is refused before it starts.`,
		Example: `  timerbench micro
  timerbench micro --structure '^hwheel|quad' --workload churn --n 1e5,1e6
  timerbench micro --structure '^hwheel$' --n 1e2,1e4,1e6,1e8 --memory 16 --chart scale.svg`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.structures, "structure", "s", "", "measure the structures that match this regular `expression`")
	flags.StringVarP(&f.workloads, "workload", "w", "", "measure the workloads that match this regular `expression`")
	flags.VarP(&f.sizes, "n", "n", "numbers of resident timers (default 1e6)")
	flags.IntVar(&f.trials, "trials", 5, "timed trials of each workload")
	flags.Float64Var(&f.memory, "memory", 0, "most memory to take, in `GB` (default: what is available)")
	flags.StringVar(&f.chart, "chart", "", "draw all figures against the number of timers, as SVG, into this `file`")
	return cmd
}

func (f *microFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	if f.trials < 1 {
		return fmt.Errorf("--trials %d: want at least 1", f.trials)
	}
	if f.memory < 0 {
		return fmt.Errorf("--memory %g: want a number of GB above 0", f.memory)
	}
	if len(f.sizes) == 0 {
		f.sizes = sizes{1_000_000}
	}
	if f.chart != "" {
		if len(f.sizes) < 2 {
			return errors.New("--chart: want at least two sizes in --n")
		}
		if _, err := os.Stat(filepath.Dir(f.chart)); err != nil { // not after the measurement
			return fmt.Errorf("--chart %s: %w", f.chart, err)
		}
	}
	workloads, err := match("workload", append(micro.Workloads(), micro.TailWorkloads()...), func(w workload.Workload) string { return w.Name }, f.workloads)
	if err != nil {
		return err
	}
	entries, err := match("structure", catalog.All(), func(e catalog.Entry) string { return e.Name }, f.structures)
	if err != nil {
		return err
	}
	limit := f.limit()
	var plans []microPlan
	for _, n := range f.sizes {
		fitting := slices.DeleteFunc(slices.Clone(entries), func(e catalog.Entry) bool { return !f.fits(e, n) })
		if len(fitting) == 0 {
			return fmt.Errorf("no structure of the choice is made for %d timers", n)
		}
		p := microPlan{n: n, trials: f.trials, entries: fitting, workloads: workloads}
		if err := p.fit(ctx, limit); err != nil {
			return err
		}
		plans = append(plans, p)
	}
	if limit > 0 {
		// Measuring holds the collector back, and garbage must not take what is not there.
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(limit)))
	}
	var chart report.BySize
	for _, p := range plans {
		if err := p.measure(ctx, &chart, stdout, stderr); err != nil {
			return err
		}
	}
	if err := writeTo(f.chart, chart.SVG); err != nil {
		return fmt.Errorf("--chart %s: %w", f.chart, err)
	}
	return nil
}

// limit returns how many bytes may be taken; 0: no limit is known.
func (f *microFlags) limit() uint64 {
	limit, _ := availableMemory()
	if given := uint64(f.memory * 1e9); given > 0 && (limit == 0 || given < limit) {
		return given
	}
	return limit
}

// fits reports whether a structure is measured among n timers. Containers of others
// take minutes among many, unless that is asked for.
func (f *microFlags) fits(e catalog.Entry, n int) bool {
	const thirdParty = 100_000
	return (e.Limit == 0 || n <= e.Limit) && (e.ThirdParty == "" || f.structures != "" || n <= thirdParty)
}

// microPlan is what is measured among n timers.
type microPlan struct {
	n, trials int
	entries   []catalog.Entry
	workloads []workload.Workload
	apart     bool // one structure after the other
}

// fit returns an error if the plan does not fit into so much memory; 0: any. It plans to
// measure one structure after the other if they do not fit side by side.
func (p *microPlan) fit(ctx context.Context, limit uint64) error {
	const fewTimers = 100_000 // take less than any machine has
	if limit == 0 || p.n <= fewTimers {
		return nil
	}
	for _, w := range p.workloads {
		need, err := micro.EstimateMemory(ctx, w, p.n, p.trials+1, p.entries)
		if err != nil {
			return err
		}
		if need.Apart > limit {
			return fmt.Errorf("%s, n %d needs about %s of memory, of which there are %s: choose fewer timers with --n, or other workloads with --workload",
				w.Name, p.n, gigabytes(need.Apart), gigabytes(limit))
		}
		p.apart = p.apart || need.Together > limit
	}
	return nil
}

// measure prints the tables of the structures among n timers, and adds to the chart.
func (p *microPlan) measure(ctx context.Context, chart *report.BySize, stdout, stderr io.Writer) error {
	started := time.Now()
	floor := micro.MeasureFloor(p.n)
	costs, tails := newMicroTable("structure", p.entries), newMicroTable("longest call, us", p.entries)
	var filled []micro.Figure // of the first workload, for the memory
	for _, w := range p.workloads {
		fmt.Fprintf(stderr, "[%3.0fs] %s, n %d\n", time.Since(started).Seconds(), w.Name, p.n)
		if isTail(w) {
			calls, err := p.calls(ctx, w)
			if err != nil {
				return err
			}
			tails.addCalls(w, calls)
			for _, c := range calls {
				chart.Add(w.Name+", longest call", report.Nanoseconds, c.Structure, roleOf(c.Structure), p.n, c.Max().NS)
			}
			continue
		}
		figures, err := p.figures(ctx, w)
		if err != nil {
			return err
		}
		costs.addCosts(w, figures)
		for _, f := range figures {
			chart.Add(fmt.Sprintf("%s, per %s", w.Name, w.CostUnit()), report.Nanoseconds, f.Structure, roleOf(f.Structure), p.n, f.NS)
		}
		if filled == nil {
			filled = figures
		}
	}
	costs.addMemory(filled)
	for _, f := range filled {
		if f.Structure != bench.FloorName {
			chart.Add("memory, per timer", report.Bytes, f.Structure, roleOf(f.Structure), p.n, f.Bytes)
			chart.Add("added to a garbage collection", report.Nanoseconds, f.Structure, roleOf(f.Structure), p.n, f.CollectNS)
		}
	}
	how := ""
	if p.apart {
		how = " One structure after the other."
	}
	fmt.Fprintf(stdout, "%d timers; ns a lifecycle, or a move in reschedule. A record of 32 bytes takes %.1f ns where nothing\n"+
		"waits for it, and %.0f ns where each names the next.%s\n\n", p.n, floor.Touch, floor.Chase, how)
	for _, t := range []*microTable{costs, tails} {
		if text := t.render(); text != "" {
			fmt.Fprint(stdout, text, "\n\n")
		}
	}
	return nil
}

// isTail reports whether single calls of a workload are timed.
func isTail(w workload.Workload) bool {
	return slices.ContainsFunc(micro.TailWorkloads(), func(t workload.Workload) bool { return t.Name == w.Name })
}

// figures measures a workload.
func (p *microPlan) figures(ctx context.Context, w workload.Workload) ([]micro.Figure, error) {
	q, err := micro.NewSequence(ctx, w, p.n, p.trials+1, micro.BlockSize)
	if err != nil {
		return nil, err
	}
	if p.apart {
		return q.MeasureApart(ctx, p.entries)
	}
	return q.Measure(ctx, p.entries)
}

// calls times the single calls of a workload.
func (p *microPlan) calls(ctx context.Context, w workload.Workload) ([]results.Calls, error) {
	q, err := micro.NewTailSequence(ctx, w, p.n)
	if err != nil {
		return nil, err
	}
	return q.MeasureTails(ctx, p.entries)
}

// roleOf returns the role of what is measured in a chart.
func roleOf(name string) results.Role {
	switch name {
	case bench.FloorName:
		return results.RoleFloor
	case bench.BaselineName:
		return results.RoleBaseline
	}
	return results.RoleStructure
}

// microTable has a row for each structure and reference, and a column for each thing
// that is measured.
type microTable struct {
	header []any
	names  []string
	rows   map[string][]any // cells by name; nil: not measured
}

func newMicroTable(corner string, entries []catalog.Entry) *microTable {
	t := &microTable{header: []any{corner}, rows: make(map[string][]any)}
	for _, e := range append(micro.References(), entries...) {
		t.names = append(t.names, e.Name)
	}
	return t
}

// addColumn adds a column with the cells that are known.
func (t *microTable) addColumn(name string, cells map[string]string) {
	t.header = append(t.header, name)
	for _, name := range t.names {
		var cell any
		if text, ok := cells[name]; ok {
			cell = text
		}
		t.rows[name] = append(t.rows[name], cell)
	}
}

// addCosts adds the costs of a workload.
func (t *microTable) addCosts(w workload.Workload, figures []micro.Figure) {
	costs := make(map[string]string)
	for _, f := range figures {
		costs[f.Structure] = fmt.Sprintf("%.1f", f.NS)
	}
	t.addColumn(w.Name, costs)
}

// addMemory adds the memory of filled structures. The floor keeps no timers.
func (t *microTable) addMemory(figures []micro.Figure) {
	bytes, collect := make(map[string]string), make(map[string]string)
	for _, f := range figures {
		if f.Structure != bench.FloorName {
			bytes[f.Structure] = fmt.Sprintf("%.1f", f.Bytes)
			collect[f.Structure] = fmt.Sprintf("%.1f", f.CollectNS/1e6)
		}
	}
	t.addColumn("bytes a timer", bytes)
	t.addColumn("gc, ms", collect)
}

// addCalls adds the longest calls of a workload, and their 99.9th percentile unless the
// workload is about the longest call.
func (t *microTable) addCalls(w workload.Workload, calls []results.Calls) {
	p999, longest := make(map[string]string), make(map[string]string)
	for _, c := range calls {
		p999[c.Structure] = nanoseconds(c.P999 / 1e3)
		longest[c.Structure] = fmt.Sprintf("%s %s", nanoseconds(c.Max().NS/1e3), strings.ToLower(string(c.Max().Operation)))
	}
	if !w.Kind().SingleCalls {
		t.addColumn("99.9 % of "+w.Name, p999)
	}
	t.addColumn(w.Name, longest)
}

// render leaves out rows without a cell. It returns nothing if no row is left.
func (t *microTable) render() string {
	out := newTable(t.header...)
	var align []table.ColumnConfig
	for i := range t.header[1:] {
		align = append(align, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	out.SetColumnConfigs(align)
	for _, name := range t.names {
		row, known := table.Row{name}, false
		for _, cell := range t.rows[name] {
			if known = known || cell != nil; cell == nil {
				cell = "–"
			}
			row = append(row, cell)
		}
		if known {
			out.AppendRow(row)
		}
	}
	if out.Length() == 0 {
		return ""
	}
	return out.Render()
}
