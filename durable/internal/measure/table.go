package main

import (
	"bytes"
	"fmt"
)

// table returns what was found as Markdown.
func table(results []result) []byte {
	var b bytes.Buffer
	b.WriteString("| fires | nodes | workers | pending | stored/s | µs each | fired/s | µs each | at timers/s | p50 | p99 | max |\n")
	b.WriteString("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, r := range results {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %.0f | %.0f | %.0f | %.0f | %d | %s | %s | %s |\n",
			r.Backend, r.Nodes, r.Workers, r.Pending, r.Stored, r.StoredCPU, r.Fired, r.FiredCPU, r.Rate, ms(r.P50), ms(r.P99), ms(r.Max))
	}
	for _, r := range results {
		if r.Recovery > 0 {
			fmt.Fprintf(&b, "\nA million timers, %s, one node: %.0f MB of memory (server and worker), %.0f MB on disk, %.1f s to recover.\n",
				r.Backend, r.Memory, r.Disk, r.Recovery/1000)
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
