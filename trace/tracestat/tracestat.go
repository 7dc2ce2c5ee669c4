// Package tracestat sums a trace up: how many timers are pending, for how long, and
// how many are cancelled. It is not part of package trace, because a program that is
// recorded should not import what only the analysis needs.
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

// Summary sums a whole trace up.
type Summary struct {
	Header trace.Header
	Totals trace.Totals
	Bytes  int64 // length of the file

	Resident   float64 // mean number of pending timers over the ticks; ResidentOp if the clock never moves
	ResidentOp float64 // mean number of pending timers over the operations
	Idle       uint64  // advances on which nothing fires
	LateFires  uint64  // timers that fired after their deadline, because the program woke late
	Delays     Delays  // of schedules
	Moves      Delays  // of reschedules, from the time of the reschedule
	CancelRate float64 // cancelled / (cancelled + fired)
	Sites      []Site  // where the program scheduled, that with the most timers first; nil if it is not known
}

// Delays is a distribution of delays in ticks. The percentiles have four exact
// digits. The other figures are exact.
type Delays struct {
	Count                         int64
	Mean                          float64
	Min, P50, P90, P99, P999, Max structures.Tick
}

// Duration returns the virtual time from the first advance to the last.
func (s Summary) Duration() time.Duration {
	ns := float64(s.Totals.Span()) * float64(s.Header.Tick)
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}

// Rate returns the operations per second of virtual time, or 0 if the clock never
// moves.
func (s Summary) Rate() float64 {
	if s.Totals.Span() == 0 {
		return 0
	}
	return float64(s.Totals.Count()) / (float64(s.Totals.Span()) * s.Header.Tick.Seconds())
}

// Read reads a whole trace. It returns an error unless the trace is complete and
// every operation makes sense, so a program calls it before it uses a trace. It needs
// 12 bytes for each timer that is pending at the same time, and 8 MB; 28 bytes, and 80 kB for
// each site, if the trace says where the program scheduled.
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
	delays, moves := newDistribution(4), newDistribution(4)
	var sites siteCounter
	var overTicks, overOps float64 // sums of the number of pending timers
	var clock structures.Tick
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
		overOps += float64(r.Pending())
		if s.Header.Sites {
			sites.add(op, clock)
		}
		switch op.Kind {
		case trace.Schedule:
			delays.add(op.At - clock)
		case trace.Reschedule:
			moves.add(op.At - clock)
		case trace.Advance:
			if advanced {
				overTicks += pending * float64(op.At-clock)
			}
			advanced, clock = true, op.At
			if len(op.Fired) == 0 {
				s.Idle++
			}
			s.LateFires += uint64(op.Late)
		}
	}
	s.Totals, s.Sites = r.Totals(), sites.list(r.Sites())
	s.ResidentOp = overOps / float64(max(1, s.Totals.Count()))
	s.Resident = s.ResidentOp
	if span := s.Totals.Span(); span > 0 {
		s.Resident = overTicks / float64(span)
	}
	if ended := s.Totals.Ops[trace.Cancel] + s.Totals.Fired; ended > 0 {
		s.CancelRate = float64(s.Totals.Ops[trace.Cancel]) / float64(ended)
	}
	s.Delays, s.Moves = delays.delays(), moves.delays()
	return s, nil
}

// maxDelay is the largest value of a percentile: 139 years at a tick of 1 ms. It is
// chosen.
const maxDelay = 1 << 42

type distribution struct {
	histogram *hdrhistogram.Histogram
	sum       float64
	min, max  structures.Tick
}

// newDistribution returns a distribution whose percentiles have so many exact digits.
func newDistribution(digits int) *distribution {
	return &distribution{histogram: hdrhistogram.New(1, maxDelay, digits), min: math.MaxInt64}
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
