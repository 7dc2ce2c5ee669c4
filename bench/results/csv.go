package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// csvHeader names the columns of WriteCSV.
var csvHeader = []string{
	"workload", "n", "structure", "role", "op", "layout", "instance", "round",
	"ns", "count", "ns_per_op", "allocs", "alloc_bytes",
}

// WriteCSV writes the trials of r, one to a line: first those of whole blocks, whose op
// is the unit of the cost, then those of the kinds of operations. ns is the time of the
// trial, count the number of units or operations in it. The allocations of a kind are
// not known: its fields are empty.
func WriteCSV(out io.Writer, r *Run) error {
	w := csv.NewWriter(out)
	_ = w.Write(csvHeader) // Error returns what fails
	for _, c := range r.Cells {
		for _, row := range c.Rows {
			line := func(t Trial, op string, ns, count float64, allocs, bytes string) {
				if count == 0 {
					return
				}
				number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
				_ = w.Write([]string{
					c.Workload, strconv.Itoa(c.N), row.Structure, string(row.Role), op,
					strconv.Itoa(t.Layout), strconv.Itoa(t.Instance), strconv.Itoa(t.Round),
					number(ns), number(count), number(ns / count), allocs, bytes,
				})
			}
			for _, t := range row.Cost {
				line(t, string(c.Unit), t.NS, t.Units,
					strconv.FormatUint(t.Allocs, 10), strconv.FormatUint(t.AllocBytes, 10))
			}
			for _, t := range row.ByKind {
				for _, k := range t.Kinds {
					line(t, k.Kind.String(), k.NS, float64(k.Count), "", "")
				}
			}
		}
	}
	if w.Flush(); w.Error() != nil {
		return fmt.Errorf("writing CSV: %w", w.Error())
	}
	return nil
}
