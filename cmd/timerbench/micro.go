package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/micro"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

type microFlags struct {
	structures string
	workloads  string
	sizes      sizes
	trials     int
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

Trials of all structures are interleaved, so ratios hold within a table. Figures are
medians. The longest calls are from ` + micro.TailWorkload().Name + `, every call timed by itself.`,
		Example: "  timerbench micro\n  timerbench micro --structure '^hwheel|quad' --workload churn --n 1e5,1e6",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.structures, "structure", "s", "", "measure the structures that match this regular `expression`")
	flags.StringVarP(&f.workloads, "workload", "w", "", "measure the workloads that match this regular `expression`")
	flags.VarP(&f.sizes, "n", "n", "numbers of resident timers (default 1e6)")
	flags.IntVar(&f.trials, "trials", 5, "timed trials of each workload")
	return cmd
}

func (f *microFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	if f.trials < 1 {
		return fmt.Errorf("--trials %d: want at least 1", f.trials)
	}
	workloads, err := match("workload", append(micro.Workloads(), micro.TailWorkload()), func(w workload.Workload) string { return w.Name }, f.workloads)
	if err != nil {
		return err
	}
	entries, err := match("structure", catalog.All(), func(e catalog.Entry) string { return e.Name }, f.structures)
	if err != nil {
		return err
	}
	if len(f.sizes) == 0 {
		f.sizes = sizes{1_000_000}
	}
	for _, n := range f.sizes {
		entries := slices.DeleteFunc(slices.Clone(entries), func(e catalog.Entry) bool { return !f.fits(e, n) })
		if len(entries) == 0 {
			return fmt.Errorf("no structure of the choice is made for %d timers", n)
		}
		if err := f.measure(ctx, workloads, n, entries, stdout, stderr); err != nil {
			return err
		}
	}
	return nil
}

// fits reports whether a structure is measured among n timers. Containers of others
// take minutes among many, unless that is asked for.
func (f *microFlags) fits(e catalog.Entry, n int) bool {
	const thirdParty = 100_000
	return (e.Limit == 0 || n <= e.Limit) && (e.ThirdParty == "" || f.structures != "" || n <= thirdParty)
}

// measure prints the table of the structures among n timers.
func (f *microFlags) measure(ctx context.Context, workloads []workload.Workload, n int, entries []catalog.Entry, stdout, stderr io.Writer) error {
	started := time.Now()
	floor := micro.MeasureFloor(n)
	t := newMicroTable(entries)
	for _, w := range workloads {
		fmt.Fprintf(stderr, "[%3.0fs] %s, n %d\n", time.Since(started).Seconds(), w.Name, n)
		add, blocks, size := t.addFigures, f.trials+1, micro.BlockSize
		if w.Name == micro.TailWorkload().Name {
			add, blocks, size = t.addTails, 1, n
		}
		q, err := micro.NewSequence(ctx, w, n, blocks, size)
		if err != nil {
			return err
		}
		if err := add(ctx, q, entries); err != nil {
			return err
		}
	}
	fmt.Fprintf(stdout, "%d timers; ns a lifecycle, or a move in reschedule. A record of 32 bytes takes %.1f ns where nothing\n"+
		"waits for it, and %.0f ns where each names the next.\n\n%s\n\n", n, floor.Touch, floor.Chase, t.render())
	return nil
}

// microTable has a row for each structure and reference, and a column for each thing
// that is measured.
type microTable struct {
	header []any
	names  []string
	rows   map[string][]any // cells by name; nil: not measured
}

func newMicroTable(entries []catalog.Entry) *microTable {
	t := &microTable{header: []any{"structure"}, rows: make(map[string][]any)}
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

func (t *microTable) addFigures(ctx context.Context, q *micro.Sequence, entries []catalog.Entry) error {
	figures, err := q.Measure(ctx, entries)
	if err != nil {
		return err
	}
	cells := make(map[string]string)
	for _, f := range figures {
		cells[f.Structure] = fmt.Sprintf("%.1f", f.NS)
	}
	t.addColumn(q.Workload.Name, cells)
	return nil
}

func (t *microTable) addTails(ctx context.Context, q *micro.Sequence, entries []catalog.Entry) error {
	tails, err := q.MeasureTails(ctx, entries)
	if err != nil {
		return err
	}
	p999, longest := make(map[string]string), make(map[string]string)
	for _, tail := range tails {
		p999[tail.Structure] = fmt.Sprintf("%.0f", tail.P999)
		longest[tail.Structure] = fmt.Sprintf("%.0f", tail.Max/1e3)
	}
	t.addColumn("p99.9 call", p999)
	t.addColumn("longest, us", longest)
	return nil
}

// render leaves out rows without a cell.
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
	return out.Render()
}
