package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

func newTraceInfo() *cobra.Command {
	return &cobra.Command{
		Use:     "info FILE",
		Short:   "Check a trace and show what it holds",
		Example: "  timerbench trace info my.trace",
		Args:    oneArg("a trace"),
		RunE: stoppable(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			s, err := interruptible(ctx, tracestat.Read, args[0])
			if err != nil {
				return err
			}
			showSummary(cmd.OutOrStdout(), s)
			return nil
		}),
	}
}

func showSummary(out io.Writer, s *tracestat.Summary) {
	about := newTable()
	about.ResetHeaders()
	about.Style().Options.SeparateColumns = false
	for _, line := range [][2]string{
		{"trace", s.Header.Name},
		{"of", s.Header.Description},
		{"recorded", recordedAt(s)},
		{"size", fmt.Sprintf("%s, %.2f bytes an operation", bytesOf(s.Bytes), float64(s.Bytes)/float64(max(1, s.Totals.Count())))},
		{"tick", s.Header.Tick.String()},
		{"covers", fmt.Sprintf("%s ticks, %v", show.Grouped(uint64(s.Totals.Span())), s.Duration().Round(time.Millisecond))},
		{"rate", fmt.Sprintf("%s operations a second", show.Grouped(uint64(math.Round(s.Rate()))))},
		{"pending", fmt.Sprintf("%.1f timers on average, %s at most, %s at the end", s.Resident, show.Grouped(s.Totals.Keys), show.Grouped(s.Totals.Pending()))},
		{"cancelled", fmt.Sprintf("%.2f %% of the timers that ended", 100*s.CancelRate)},
		{"fired late", firedLate(s)},
	} {
		if line[1] != "" {
			about.AppendRow(table.Row{line[0], line[1]})
		}
	}
	fmt.Fprintln(out, fitted(about, nil))

	fmt.Fprintln(out)
	ops := newTable("operation", "count", "share")
	count := func(name string, n uint64) {
		ops.AppendRow(table.Row{name, show.Grouped(n), fmt.Sprintf("%.2f %%", 100*float64(n)/float64(max(1, s.Totals.Count())))})
	}
	for k, n := range s.Totals.Ops {
		count(trace.Kind(k).String(), n)
		if trace.Kind(k) == trace.Advance {
			count("  on which nothing fires", s.Idle)
		}
	}
	count("all", s.Totals.Count())
	ops.AppendRow(table.Row{"timers fired", show.Grouped(s.Totals.Fired), ""})
	fmt.Fprintln(out, aligned(ops, 2, 3))

	fmt.Fprintln(out)
	delays := newTable("delay of timers", "count", "mean", "least", "50 %", "90 %", "99 %", "99.9 %", "most")
	for _, d := range []struct {
		name string
		tracestat.Delays
	}{{"scheduled", s.Delays}, {"moved", s.Moves}} {
		if d.Count == 0 {
			continue
		}
		row := table.Row{d.name, show.Grouped(uint64(d.Count)), delay(s, structures.Tick(d.Mean))}
		for _, t := range []structures.Tick{d.Min, d.P50, d.P90, d.P99, d.P999, d.Max} {
			row = append(row, delay(s, t))
		}
		delays.AppendRow(row)
	}
	fmt.Fprintln(out, aligned(delays, 2, 9))
}

func recordedAt(s *tracestat.Summary) string {
	if s.Header.Started.IsZero() {
		return ""
	}
	return s.Header.Started.Format("2006-01-02 15:04 UTC")
}

func firedLate(s *tracestat.Summary) string {
	if s.LateFires == 0 {
		return ""
	}
	return fmt.Sprintf("%s timers, because the program woke after their deadlines", show.Grouped(s.LateFires))
}

// delay formats a number of ticks as a time.
func delay(s *tracestat.Summary, ticks structures.Tick) string {
	ns := float64(ticks) * float64(s.Header.Tick)
	if ns >= math.MaxInt64 {
		return "centuries"
	}
	d := time.Duration(ns)
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			d = d.Round(unit / 1000)
			break
		}
	}
	return d.String()
}

// aligned renders a table. The columns from first to last hold numbers.
func aligned(t table.Writer, first, last int) string {
	var columns []table.ColumnConfig
	for i := first; i <= last; i++ {
		columns = append(columns, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return fitted(t, columns)
}
