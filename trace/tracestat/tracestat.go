// Package tracestat summarizes a trace: how many timers are pending, for how long, and how many are cancelled. It is
// not part of package trace, because a program that records should not import what only the analysis needs.
package tracestat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/timerbench/timerbench/internal/files"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
)

// Summary summarizes a trace.
type Summary struct {
	Header trace.Header
	Totals trace.Totals
	Bytes  int64 // length of the file

	Resident   float64 // mean number of pending timers over the ticks; ResidentOp if the clock never moves
	ResidentOp float64 // mean number of pending timers over the operations
	Idle       uint64  // advances on which nothing fires
	AtOnce     int     // most timers that fire at one advance
	LateFires  uint64  // timers that fired after their deadline because the program woke up late
	Delays     Delays  // of schedules
	Moves      Delays  // of reschedules, from the reschedule to the new deadline
	CancelRate float64 // cancelled / (cancelled + fired)
	Sites      []Site  // places in the program, the one with the most timers first; one without a name if they are not known

	// Functions and Channels are the timers that package driver could hold, when most of both together were pending.
	Functions, Channels uint64
	CutShort            error // where the trace is cut short; nil if it is whole
}

// Delays is a distribution of delays in nanoseconds. The percentiles have four exact digits, two
// in a Site. The other figures are exact.
type Delays struct {
	Count int64   `json:"count"`
	Mean  float64 `json:"mean_ns"`
	Min   float64 `json:"least_ns"`
	P50   float64 `json:"p50_ns"`
	P90   float64 `json:"p90_ns"`
	P99   float64 `json:"p99_ns"`
	P999  float64 `json:"-"`
	Max   float64 `json:"most_ns"`
}

// Set returns the delays of the schedules, or of the reschedules if there are more of them.
func (s *Summary) Set() Delays {
	if s.Moves.Count > s.Delays.Count {
		return s.Moves
	}
	return s.Delays
}

// Quantiles returns the median, the 90th and the 99th percentile in nanoseconds.
func (d Delays) Quantiles() (p50, p90, p99 float64) { return d.P50, d.P90, d.P99 }

// Site is a place in the program that schedules timers.
type Site struct {
	Name      string        `json:"site"` // such as "main.serve server.go:42"; "": not known
	Form      trace.Form    `json:"-"`
	Reset     bool          `json:"-"`      // see trace.Site
	Period    time.Duration `json:"-"`      // as Reset
	Unread    float64       `json:"-"`      // share of the channels that nobody waited for when they were due
	Wakeups   [2]float64    `json:"-"`      // of the process for timers of the site, OnTime and Lazily; timers that are due at one tick share its wake-up
	Timers    uint64        `json:"timers"` // schedules
	Cancelled uint64        `json:"cancelled"`
	Fired     uint64        `json:"fired"`
	Moves     uint64        `json:"moves"`
	Later     uint64        `json:"later"`   // moves to a later deadline
	AtOnce    int           `json:"at_once"` // most timers that fire at one advance
	Wakes     uint64        `json:"wakes"`   // advances at which timers of the site fire
	Repeats   uint64        `json:"repeats"` // schedules at the tick at which a timer of the site has fired
	Soon      uint64        `json:"soon"`    // schedules and moves for the next tick
	Pending   float64       `json:"pending"` // mean over the ticks
	Kept      uint64        `json:"kept"`    // timers that are pending at the end
	Growth    float64       `json:"-"`       // the mean time at which timers are pending, from 0, the first of the site, to 1, the end: 0.5 if their number is constant
	Delays    Delays        `json:"delays"`  // of the schedules
	Left      Delays        `json:"left"`    // of the cancelled timers, from the cancel to the deadline
}

// MarshalJSON writes a summary for programs, with times in nanoseconds.
func (s *Summary) MarshalJSON() ([]byte, error) {
	h, t := s.Header, s.Totals
	return json.Marshal(struct {
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
		LostSets          uint64        `json:"lost_sets"` // those of Lost that set or moved a timer
		LostStops         uint64        `json:"lost_stops"`
		LostFires         uint64        `json:"lost_fires"`
		CutShort          bool          `json:"cut_short"`
		IntoHeap          uint64        `json:"into_heap"` // of Go's runtime
		Delays            Delays        `json:"delays"`
		Moves             Delays        `json:"moves"`
		Sites             []Site        `json:"sites"`
	}{
		h.Name, h.Description, h.Tick, s.Duration(), t.Ops[trace.Schedule], t.Ops[trace.Reschedule],
		t.Ops[trace.Cancel], t.Fired, t.Ops[trace.RefusedReschedule], t.Ops[trace.RefusedCancel],
		t.Pending(), t.Keys, t.Lost, t.LostBy[trace.EventSet], t.LostBy[trace.EventStop], t.LostBy[trace.EventFire], s.CutShort != nil, t.Heaped, s.Delays, s.Moves, append([]Site{}, s.Sites...),
	})
}

// Placed reports whether the places in the program are known, as in a recording of a program of "trace build".
func (s *Summary) Placed() bool {
	return slices.ContainsFunc(s.Sites, func(p Site) bool { return p.Name != "" })
}

// PerHour scales a count of the trace to an hour. It returns 0 if the clock never moves.
func (s *Summary) PerHour(n uint64) float64 {
	if s.Totals.Span() == 0 {
		return 0
	}
	return float64(n) / (float64(s.Totals.Span()) * s.Header.Tick.Hours())
}

// Wakeups returns the number of advances at which timers fire.
func (s *Summary) Wakeups() uint64 { return s.Totals.Ops[trace.Advance] - s.Idle }

// CancelRate returns cancelled / (cancelled + fired).
func (s Site) CancelRate() float64 {
	return float64(s.Cancelled) / float64(max(1, s.Cancelled+s.Fired))
}

// Duration returns the virtual time from the first advance to the last.
func (s Summary) Duration() time.Duration {
	ns := float64(s.Totals.Span()) * float64(s.Header.Tick)
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}

// Rate returns the operations per second of virtual time, or 0 if the clock never moves.
func (s Summary) Rate() float64 {
	return perSecond(&s, s.Totals.Count())
}

// MostLost is the share of lost operations up to which the figures of a trace are usable (chosen).
const MostLost = 0.05

// LostShare returns the share of the program's operations that the recorder lost, from 0 to 1.
func (s *Summary) LostShare() float64 {
	lost := float64(s.Totals.Lost)
	return lost / max(1, lost+float64(s.Totals.Count()))
}

// CheckLost returns an error if more than MostLost of the operations are missing from the trace.
func (s *Summary) CheckLost() error {
	if share := s.LostShare(); share > MostLost {
		return fmt.Errorf("%.3g %% of the operations were lost, as the recorder could not keep up: want at most %.0f %%; record again with a larger %s",
			100*share, 100*MostLost, trace.EnvBuffer)
	}
	return nil
}

// Brief returns a warning if the trace covers less than a second, and otherwise the empty string.
func (s *Summary) Brief() string {
	if s.Duration() >= time.Second {
		return ""
	}
	return fmt.Sprintf("the trace covers only %v, and a share of a core or a rate is that of this time: record at least a second",
		s.Duration().Round(time.Microsecond))
}

// Monitor returns a hint if the trace has so few operations that another process may do the work, and otherwise the empty string.
func (s *Summary) Monitor() string {
	if n := s.Totals.Count(); s.Placed() && n < fewest {
		return fmt.Sprintf("the trace has only %s: if the program starts itself again, the first process records, and not its children; "+
			"start the one that works with %s", show.Count(n, "operation"), trace.EnvFile)
	}
	return ""
}

// fewest is the number of operations of a program with work (chosen).
const fewest = 100

// Read reads a trace to its end. It returns an error unless every operation is possible, so a program calls it
// before it uses a trace. If the trace is cut short, Read reads the whole chunks, and sets CutShort and the
// description. It needs 10 MB, 40 bytes for each timer that is pending at the same time, up to 22 for
// each that fires at the same advance, 80 kB for each site, and 100 bytes for each 512 ticks with a wake-up.
func Read(path string) (*Summary, error) { return Rounded(path, 0) }

// Rounded is Read with Site.Wakeups as if all deadlines were rounded up to multiples of a time, unless it is 0.
func Rounded(path string, to time.Duration) (*Summary, error) {
	r, err := trace.Open(path)
	if _, is := errors.AsType[*fs.PathError](err); is {
		err = files.Error(path, "a trace", err)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // it is only read
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	s := &Summary{Header: r.Header(), Bytes: info.Size()}
	tick := s.Header.Tick
	delays, moves := newDistribution(4), newDistribution(4)
	sites := siteCounter{wakes: newWakes(structures.Tick(math.Ceil(float64(to) / float64(tick))))}
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
		sites.add(op, clock, r.Sites())
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
			s.AtOnce = max(s.AtOnce, len(op.Fired))
		}
	}
	if s.CutShort = r.CutShort(); s.CutShort != nil {
		s.Header.Description = strings.TrimSpace(s.Header.Description + " (cut short)")
	}
	s.Totals = r.Totals()
	s.Sites = sites.list(r, s.Totals, tick)
	s.Functions, s.Channels = sites.most[0], sites.most[1]
	s.ResidentOp = overOps / float64(max(1, s.Totals.Count()))
	s.Resident = s.ResidentOp
	if span := s.Totals.Span(); span > 0 {
		s.Resident = overTicks / float64(span)
	}
	cancelled := s.Totals.Ops[trace.Cancel]
	s.CancelRate = Site{Cancelled: cancelled, Fired: s.Totals.Fired}.CancelRate()
	s.Delays, s.Moves = delays.delays(tick), moves.delays(tick)
	return s, nil
}

// distribution is a distribution of delays in ticks.
// maxDelay is the largest value of a percentile: 139 years at a tick of 1 ms. It is chosen.
const maxDelay = 1 << 42

type distribution struct {
	histogram *hdrhistogram.Histogram
	sum       float64
	min, max  structures.Tick
}

// newDistribution returns a distribution whose percentiles have this number of exact digits.
func newDistribution(digits int) *distribution {
	return &distribution{histogram: hdrhistogram.New(1, maxDelay, digits), min: math.MaxInt64}
}

func (d *distribution) add(delay structures.Tick) {
	_ = d.histogram.RecordValue(int64(min(delay, maxDelay))) // within the range: no error
	d.sum += float64(delay)
	d.min, d.max = min(d.min, delay), max(d.max, delay)
}

func (d *distribution) delays(tick time.Duration) Delays {
	n := d.histogram.TotalCount()
	if n == 0 {
		return Delays{}
	}
	ns := func(t structures.Tick) float64 { return float64(t) * float64(tick) }
	at := func(percent float64) float64 {
		return ns(min(structures.Tick(d.histogram.ValueAtQuantile(percent)), d.max))
	}
	return Delays{
		Count: n, Mean: d.sum / float64(n) * float64(tick), Min: ns(d.min),
		P50: at(50), P90: at(90), P99: at(99), P999: at(99.9), Max: ns(d.max),
	}
}
