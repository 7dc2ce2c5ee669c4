package tracestat

import (
	"encoding/json"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
)

type (
	// JSON is a Summary as MarshalJSON writes it. Times are in nanoseconds.
	JSON struct {
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
		Delays            DelaysJSON    `json:"delays"`
		Moves             DelaysJSON    `json:"moves"`
		Sites             []SiteJSON    `json:"sites"`
	}
	// SiteJSON is a Site of JSON.
	SiteJSON struct {
		Site      string     `json:"site"`
		Timers    uint64     `json:"timers"`
		Cancelled uint64     `json:"cancelled"`
		Fired     uint64     `json:"fired"`
		Delays    DelaysJSON `json:"delays"`
		Left      DelaysJSON `json:"left"` // from a cancel to the deadline
	}
	// DelaysJSON is a distribution of JSON.
	DelaysJSON struct {
		Count int64   `json:"count"`
		Mean  float64 `json:"mean_ns"`
		Least float64 `json:"least_ns"`
		P50   float64 `json:"p50_ns"`
		P90   float64 `json:"p90_ns"`
		P99   float64 `json:"p99_ns"`
		Most  float64 `json:"most_ns"`
	}
)

// MarshalJSON writes a summary for programs, with times in nanoseconds.
func (s *Summary) MarshalJSON() ([]byte, error) {
	tick, ops := s.Header.Tick, s.Totals.Ops
	summary := JSON{
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
		Sites:             []SiteJSON{},
	}
	for _, x := range s.Sites {
		summary.Sites = append(summary.Sites, SiteJSON{
			x.Name, x.Timers, x.Cancelled, x.Fired, newDelaysJSON(x.Delays, tick), newDelaysJSON(x.Left, tick),
		})
	}
	return json.Marshal(summary)
}

func newDelaysJSON(d Delays, tick time.Duration) DelaysJSON {
	ns := func(t structures.Tick) float64 { return float64(t) * float64(tick) }
	return DelaysJSON{d.Count, d.Mean * float64(tick), ns(d.Min), ns(d.P50), ns(d.P90), ns(d.P99), ns(d.Max)}
}
