package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// showSites shows the ten places in the program with the most timers.
func showSites(out io.Writer, s *tracestat.Summary) {
	const most = 10
	if len(s.Sites) == 0 {
		return
	}
	t := show.Table{Header: []string{
		"scheduled by", "timers", "delay 50 %", "99 %", "cancelled", "early by",
	}}
	for _, site := range s.Sites[:min(most, len(s.Sites))] {
		left := "–"
		if site.Left.Count > 0 {
			left = delay(s, site.Left.P50)
		}
		t.Add(cmp.Or(site.Name, "(not known)"), show.Grouped(site.Timers), delay(s, site.Delays.P50),
			delay(s, site.Delays.P99), show.Percent(site.CancelRate()), left)
	}
	fmt.Fprintf(out, "\n%s\n", t.Terminal())
	if more := len(s.Sites) - most; more > 0 {
		fmt.Fprintf(out, "and %d more places\n", more)
	}
}

// What encodeSummary prints; times are in nanoseconds.
type (
	summaryJSON struct {
		Name              string        `json:"name"`
		Description       string        `json:"description"`
		Tick              time.Duration `json:"tick_ns"`
		Span              time.Duration `json:"span_ns"`
		Schedule          uint64        `json:"schedule"`
		Reschedule        uint64        `json:"reschedule"`
		Cancel            uint64        `json:"cancel"`
		Fire              uint64        `json:"fire"`
		RefusedReschedule uint64        `json:"refused_reschedule"`
		RefusedCancel     uint64        `json:"refused_cancel"`
		PendingAtEnd      uint64        `json:"pending_at_end"`
		MostPending       uint64        `json:"most_pending"`
		Lost              uint64        `json:"lost"`
		IntoHeap          uint64        `json:"into_heap"` // of Go's runtime
		Delays            delaysJSON    `json:"delays"`
		Moves             delaysJSON    `json:"moves"`
		Sites             []siteJSON    `json:"sites"`
	}
	siteJSON struct {
		Site      string     `json:"site"`
		Timers    uint64     `json:"timers"`
		Cancelled uint64     `json:"cancelled"`
		Fired     uint64     `json:"fired"`
		Delays    delaysJSON `json:"delays"`
		Left      delaysJSON `json:"left"` // from a cancel to the deadline
	}
	delaysJSON struct {
		Count int64   `json:"count"`
		Mean  float64 `json:"mean_ns"`
		Least float64 `json:"least_ns"`
		P50   float64 `json:"p50_ns"`
		P90   float64 `json:"p90_ns"`
		P99   float64 `json:"p99_ns"`
		Most  float64 `json:"most_ns"`
	}
)

// encodeSummary prints a summary for programs.
func encodeSummary(out io.Writer, s *tracestat.Summary) error {
	tick, ops := s.Header.Tick, s.Totals.Ops
	summary := summaryJSON{
		Name:              s.Header.Name,
		Description:       s.Header.Description,
		Tick:              tick,
		Span:              s.Duration(),
		Schedule:          ops[trace.Schedule],
		Reschedule:        ops[trace.Reschedule],
		Cancel:            ops[trace.Cancel],
		Fire:              s.Totals.Fired,
		RefusedReschedule: ops[trace.RefusedReschedule],
		RefusedCancel:     ops[trace.RefusedCancel],
		PendingAtEnd:      s.Totals.Pending(),
		MostPending:       s.Totals.Keys,
		Lost:              s.Totals.Lost,
		IntoHeap:          s.Totals.Heaped,
		Delays:            newDelaysJSON(s.Delays, tick),
		Moves:             newDelaysJSON(s.Moves, tick),
		Sites:             []siteJSON{},
	}
	for _, x := range s.Sites {
		summary.Sites = append(summary.Sites, siteJSON{
			x.Name, x.Timers, x.Cancelled, x.Fired, newDelaysJSON(x.Delays, tick), newDelaysJSON(x.Left, tick),
		})
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(summary)
}

func newDelaysJSON(d tracestat.Delays, tick time.Duration) delaysJSON {
	ns := func(t structures.Tick) float64 { return float64(t) * float64(tick) }
	return delaysJSON{d.Count, d.Mean * float64(tick), ns(d.Min), ns(d.P50), ns(d.P90), ns(d.P99), ns(d.Max)}
}
