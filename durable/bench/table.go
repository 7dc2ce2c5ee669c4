package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// markdown returns the tables of docs/durable.md.
func (all results) markdown() string {
	text := fmt.Sprintf("%s with %d processors and a load of %.0f, %s, %s; up to %s timers, medians of %d tries, %d kills:\n\n",
		all.CPU, all.CPUs, all.Systems[0].Load, all.Created.Format("2 January 2006"), all.Go, grouped(float64(all.Size)), max(all.Tries, 1), kills(all.Systems[0].Faults)) +
		"| timers a second, µs each | one by one | in batches | cancelled | moved | backlog fired |\n|---|" + strings.Repeat("---:|", 5) + "\n"
	speed := func(f figure) string {
		if f.PerSecond == 0 {
			return "-"
		}
		return fmt.Sprintf("%s, %.0f", grouped(f.PerSecond), f.CPU)
	}
	for _, r := range all.Systems {
		text += fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", r.Name, speed(r.Stored), speed(r.Batched),
			speed(r.Cancelled), speed(r.Moved), speed(r.Fired))
	}
	text += "\n| lateness in ms: p50/p99/max | at 1,000/s | at 5,000/s | bytes a timer: memory/disk | start after a kill, with |\n|---|---:|---:|---:|---:|\n"
	for _, r := range all.Systems {
		text += "| " + r.Name
		for _, l := range r.Rates {
			text += " | " + l.String()
		}
		if r.Pending == 0 {
			text += " | - | - |\n"
			continue
		}
		start := "not within a minute"
		if r.Restart > 0 {
			start = fmt.Sprintf("%.1f s", r.Restart)
		}
		text += fmt.Sprintf(" | %.0f/%.0f | %s, %s |\n", r.Memory, r.Disk, start, grouped(float64(r.Pending)))
	}
	text += "\n| kill -9: missing after 30 s/early/handled again/back after a cancel; first timer late | worker | server | both |\n|---|---:|---:|---:|\n"
	for _, r := range all.Systems {
		text += "| " + r.Name
		for _, f := range r.Faults {
			text += fmt.Sprintf(" | %d/%d/%d/%d; %.1f s", f.Missing, f.Early, f.Twice, f.Back, f.First)
			if f.Kills != kills(all.Systems[0].Faults) {
				text += fmt.Sprintf(", %d kills", f.Kills)
			}
		}
		text += strings.Repeat(" | -", 3-len(r.Faults)) + " |\n"
	}
	text += "\nSettings, and what is done when a call returns:\n\n"
	for _, r := range all.Systems {
		text += fmt.Sprintf("- %s: %s. %s.\n", r.Name, r.Settings, r.Stores)
	}
	why := make(map[string]bool)
	for _, r := range all.Systems {
		for _, what := range []string{"batch", "move"} {
			if text := r.Lacks[what]; text != "" {
				why[text] = true
			}
		}
	}
	if len(why) > 0 {
		text += "- " + strings.Join(slices.Sorted(maps.Keys(why)), "; ") + ".\n"
	}
	for _, s := range all.Skipped {
		text += "- not measured: " + s + "\n"
	}
	return text
}

func (l lateness) String() string {
	ms := func(x float64) string { // without figures that mean nothing
		if x < 10 {
			return fmt.Sprintf("%.1f", x)
		}
		return grouped(x)
	}
	text := ms(l.P50) + "/" + ms(l.P99) + "/" + ms(l.Max)
	if l.Early > 0 {
		text += fmt.Sprintf("; %d early", l.Early)
	}
	if l.Missing > 0 {
		text += fmt.Sprintf("; %d missing", l.Missing)
	}
	return text
}

func kills(list []faults) int {
	if len(list) == 0 {
		return 0
	}
	return list[0].Kills
}

// grouped returns a number with commas between thousands.
func grouped(x float64) string {
	n := fmt.Sprintf("%.0f", x)
	for i := len(n) - 3; i > 0; i -= 3 {
		n = n[:i] + "," + n[i:]
	}
	return n
}
