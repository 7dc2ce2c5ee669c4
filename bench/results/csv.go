package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// CSVColumns are the columns of [WriteCSV]. docs/data.md describes them.
var CSVColumns = []string{
	"table", "workload", "n", "structure", "role", "op", "layout", "instance", "round",
	"ns", "count", "ns_per_op", "allocs", "alloc_bytes",
	"mean_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns",
	"bytes_per_timer", "aged_bytes_per_timer", "empty_bytes", "collect_ns",
	"driver", "ticks", "wakeups", "fired", "idle_empty", "idle_moved", "idle_dropped",
	"cpu", "cores", "l1d_bytes", "l2_bytes", "l3_bytes", "memory_bytes", "os", "arch",
	"arch_level", "kernel", "go", "version", "revision", "seed", "created",
}

// values are the values of a line by column. A missing column is empty.
type values map[string]any

// WriteCSV writes the measurements of r for data frames: trials, latencies, memory and idle wake-ups,
// one to a line. Each line has the machine, the build and the seed.
func WriteCSV(out io.Writer, r *Run) error {
	w := csv.NewWriter(out)
	_ = w.Write(CSVColumns) // Error returns the first error
	machine := r.machine()
	line := make([]string, len(CSVColumns))
	write := func(fields values) {
		for i, column := range CSVColumns {
			value, ok := fields[column]
			if !ok {
				value = machine[column]
			}
			line[i] = csvText(value)
		}
		_ = w.Write(line)
	}
	for _, c := range r.Cells {
		for _, row := range c.Rows {
			row.csv(c, func(table, op string, fields values) {
				fields["table"], fields["op"], fields["workload"], fields["n"] = table, op, c.Workload, c.N
				fields["structure"], fields["role"] = row.Structure, string(row.Role)
				write(fields)
			})
		}
	}
	for _, m := range r.Memory {
		write(values{
			"table": "memory", "n": m.N, "structure": m.Structure, "bytes_per_timer": m.Bytes,
			"aged_bytes_per_timer": m.AgedBytes, "empty_bytes": m.EmptyBytes, "collect_ns": m.CollectNS,
		})
	}
	for _, i := range r.Idle {
		write(values{
			"table": "idle", "workload": i.Workload, "n": i.N, "structure": i.Structure,
			"driver": string(i.Driver), "ticks": i.Ticks, "wakeups": i.Wakeups, "fired": i.Fired,
			"idle_empty": i.Empty, "idle_moved": i.Moved, "idle_dropped": i.Dropped,
		})
	}
	if w.Flush(); w.Error() != nil {
		return fmt.Errorf("writing CSV: %w", w.Error())
	}
	return nil
}

// csv calls line for each measurement of a row. The allocations of a kind are not known.
func (r *Row) csv(c Cell, line func(table, op string, fields values)) {
	for _, t := range r.Cost {
		if t.Units > 0 {
			line("cost", string(c.Unit), values{
				"layout": t.Layout, "instance": t.Instance, "round": t.Round, "ns": t.NS, "count": t.Units,
				"ns_per_op": t.NS / t.Units, "allocs": t.Allocs, "alloc_bytes": t.AllocBytes,
			})
		}
	}
	for _, t := range r.ByKind {
		for _, k := range t.Kinds {
			if k.Count > 0 {
				line("kind", k.Kind.String(), values{
					"layout": t.Layout, "instance": t.Instance, "round": t.Round, "ns": k.NS, "count": k.Count,
					"ns_per_op": k.NS / float64(k.Count),
				})
			}
		}
	}
	for _, l := range r.Latency {
		line("latency", l.Kind.String(), values{
			"count": l.Samples, "mean_ns": l.Mean, "p50_ns": l.P50, "p90_ns": l.P90, "p99_ns": l.P99,
			"p999_ns": l.P999, "max_ns": l.Max,
		})
	}
}

// machine returns the values that are the same in all lines.
func (r *Run) machine() values {
	e := r.Environment
	fields := values{
		"cpu": e.CPU, "cores": e.Cores, "l1d_bytes": e.L1Data, "l2_bytes": e.L2, "l3_bytes": e.L3,
		"memory_bytes": e.Memory, "os": e.OS, "arch": e.Arch, "arch_level": e.ArchLevel,
		"kernel": e.Kernel, "go": e.Go, "version": e.Version, "revision": e.Revision,
		"seed": r.Parameters.Seed,
	}
	if !r.Created.IsZero() {
		fields["created"] = r.Created.UTC().Format(time.RFC3339)
	}
	for column, value := range fields {
		if strings.HasSuffix(column, "_bytes") && fmt.Sprint(value) == "0" {
			delete(fields, column) // unknown
		}
	}
	return fields
}

func csvText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}
