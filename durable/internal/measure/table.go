package main

import (
	"bytes"
	"fmt"
	"text/tabwriter"
)

// table returns what was found as Markdown.
func table(results []result) []byte {
	var b bytes.Buffer
	// lines between the cells
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', tabwriter.AlignRight|tabwriter.Debug)
	fmt.Fprintln(w, "fires\t nodes\t workers\t pending\t stored/s\t µs each\t fired/s\t µs each\t at timers/s\t p50\t p99\t max\t")
	fmt.Fprintln(w, "---\t ---:\t ---:\t ---:\t ---:\t ---:\t ---:\t ---:\t ---:\t ---:\t ---:\t ---:\t")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t %d\t %d\t %d\t %.0f\t %.0f\t %.0f\t %.0f\t %d\t %s\t %s\t %s\t\n",
			r.Backend, r.Nodes, r.Workers, r.Pending, r.Stored, r.StoredCPU, r.Fired, r.FiredCPU, r.Rate,
			ms(r.P50), ms(r.P99), ms(r.Max))
	}
	_ = w.Flush() // to memory
	for _, r := range results {
		if r.Recovery > 0 {
			fmt.Fprintf(&b, "\nA million timers, %s, one node: %.0f MB of memory (server and worker), "+
				"%.0f MB on disk, %.1f s to recover.\n", r.Backend, r.Memory, r.Disk, r.Recovery/1000)
		}
	}
	return b.Bytes()
}

func ms(x float64) string {
	if x >= 1000 {
		return fmt.Sprintf("%.1f s", x/1000)
	}
	return fmt.Sprintf("%.1f ms", x)
}
