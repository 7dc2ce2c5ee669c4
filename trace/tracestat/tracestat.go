// Package tracestat sums a trace up: how many timers are pending, for how long, and
// what becomes of them. It is apart from package trace, so that a program that is
// recorded does not import what only the analysis needs.
package tracestat

import (
	"errors"
	"io"
	"math"
	"os"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
)

// Summary is what a trace holds, found by reading all of it.
type Summary struct {
	Header trace.Header
	Totals trace.Totals
	Bytes  int64 // length of the file

	Resident   float64 // mean number of pending timers, over the ticks; over the operations if the clock stands still
	ResidentOp float64 // mean number of pending timers, over the operations
	Idle       uint64  // advances on which nothing fired
	LateFires  uint64  // timers that fired at a later tick than their deadline, as the program woke late
	Delays     Delays  // of the timers that were scheduled
	Moves      Delays  // of the timers that were moved, from then
	CancelRate float64 // cancelled / (cancelled + fired)
}

// Delays is a distribution of delays in ticks: the percentiles to four digits, the
// rest exactly.
type Delays struct {
	Count                         int64
	Mean                          float64
	Min, P50, P90, P99, P999, Max structures.Tick
}

// Duration is the virtual time that the trace covers.
func (s Summary) Duration() time.Duration {
	ns := float64(s.Totals.Span()) * float64(s.Header.Tick)
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}

// Rate returns operations per second of virtual time; 0 if the clock stands still.
func (s Summary) Rate() float64 {
	if s.Totals.Span() == 0 {
		return 0
	}
	return float64(s.Totals.Count()) / (float64(s.Totals.Span()) * s.Header.Tick.Seconds())
}

// Read reads all of a trace. It returns an error, and nothing else, unless
// the trace is whole and every operation makes sense: it is the proof that must
// be had before a trace is used.
func Read(path string) (*Summary, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it is only read
	r, err := trace.NewReader(file, path)
	if err != nil {
		return nil, err
	}
	s, err := summarize(r)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	s.Bytes = info.Size()
	return s, nil
}

func summarize(r *trace.Reader) (*Summary, error) {
	s := &Summary{Header: r.Header()}
	delays, moves := newDistribution(), newDistribution()
	var area, busy float64
	var last structures.Tick
	advanced := false
	for {
		pending := float64(r.Pending())
		op, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		busy += float64(r.Pending())
		switch op.Kind {
		case trace.Schedule:
			delays.add(op.At - last)
		case trace.Reschedule:
			moves.add(op.At - last)
		case trace.Advance:
			if advanced {
				area += pending * float64(op.At-last)
			}
			advanced, last = true, op.At
			if len(op.Fired) == 0 {
				s.Idle++
			}
			s.LateFires += uint64(op.Late)
		}
	}
	s.Totals = r.Totals()
	s.ResidentOp = busy / float64(max(1, s.Totals.Count()))
	s.Resident = s.ResidentOp
	if span := s.Totals.Span(); span > 0 {
		s.Resident = area / float64(span)
	}
	if done := s.Totals.Ops[trace.Cancel] + s.Totals.Fired; done > 0 {
		s.CancelRate = float64(s.Totals.Ops[trace.Cancel]) / float64(done)
	}
	s.Delays, s.Moves = delays.delays(), moves.delays()
	return s, nil
}

// maxDelay is the longest delay that the percentiles tell from longer ones: 139
// years at a tick of 1 ms (chosen).
const maxDelay = 1 << 42

type distribution struct {
	histogram *hdrhistogram.Histogram
	sum       float64
	min, max  structures.Tick
}

func newDistribution() *distribution {
	return &distribution{histogram: hdrhistogram.New(1, maxDelay, 4), min: math.MaxInt64}
}

func (d *distribution) add(delay structures.Tick) {
	_ = d.histogram.RecordValue(int64(min(delay, maxDelay))) // within the range: no error
	d.sum += float64(delay)
	d.min, d.max = min(d.min, delay), max(d.max, delay)
}

func (d *distribution) delays() Delays {
	n := d.histogram.TotalCount()
	if n == 0 {
		return Delays{}
	}
	at := func(percent float64) structures.Tick {
		return min(structures.Tick(d.histogram.ValueAtQuantile(percent)), d.max)
	}
	return Delays{
		Count: n, Mean: d.sum / float64(n), Min: d.min,
		P50: at(50), P90: at(90), P99: at(99), P999: at(99.9), Max: d.max,
	}
}
