package trace

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/timerbench/timerbench/structures"
)

// Kind is a kind of operation.
type Kind uint8

// The kinds of operations, with their values in the file.
const (
	Schedule          Kind = iota // a timer is added
	Reschedule                    // a pending timer is moved
	Cancel                        // a pending timer is removed
	Advance                       // the clock moves, perhaps by 0 ticks, and all timers that are due fire
	RefusedReschedule             // a timer is not pending and not moved
	RefusedCancel                 // a timer is not pending and not removed
	kinds
)

var kindNames = [kinds]string{"schedule", "reschedule", "cancel", "advance", "refused reschedule", "refused cancel"}

func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("operation of kind %d", uint8(k))
}

// Op is one operation of a trace.
type Op struct {
	Kind  Kind
	Key   uint32          // schedule, reschedule, cancel: the timer
	At    structures.Tick // schedule, reschedule: its deadline; advance: the clock after it
	Site  int             // schedule: the place in the program, as an index of Sites
	Fired []uint32        // advance: the keys of the timers that fire; their order means nothing
	Late  int             // advance: number of timers that fire after their deadline
}

// Site is a place in the program that schedules timers, and the form of its timers. The zero Site is not known.
type Site struct {
	Place string // such as "main.serve server.go:42"
	Form  Form
	Reset bool // by a Reset of a timer that was stopped or had fired

	// Period is that of tickers of "trace build", if it is shorter than 10 ms, and otherwise 0: the ticks of a trace tell longer ones.
	Period time.Duration
}

// resetSite is added to the form of a site in the file if it has Reset, and periodicSite if its Period follows.
const resetSite, periodicSite = 16, 32

// Form is the form of a timer in Go.
type Form uint8

// The forms, with their values in the file.
const (
	UnknownForm  Form = iota
	FuncForm          // time.AfterFunc, and timeouts of contexts
	ChannelForm       // time.NewTimer and time.After
	TickerForm        // time.NewTicker and time.Tick
	DeadlineForm      // a deadline of package net or os
	SleepForm         // time.Sleep
	DriverForm        // of package driver of this module, in any form
	forms
)

func (f Form) String() string {
	if f < forms {
		return [forms]string{"", "function", "channel", "ticker", "deadline", "sleep", "driver"}[f]
	}
	return fmt.Sprintf("form %d", uint8(f))
}

// Totals are the totals of a trace, or of its first part.
type Totals struct {
	Ops   [kinds]uint64   // operations by kind
	Fired uint64          // timers that fired
	First structures.Tick // tick of the first advance
	Last  structures.Tick // tick of the last advance
	Keys  uint64          // number of keys: the largest number of timers pending at the same time

	// Known at the end of a whole trace of a program of "trace build", and 0 otherwise.
	Lost   uint64             // operations that the recorder lost because it could not keep up
	LostBy [eventKinds]uint64 // those of Lost by kind
	Heaped uint64             // number of times that Go's runtime put a timer into its heap
}

// Count returns the number of all operations. An advance is one operation.
func (t Totals) Count() uint64 {
	sum := uint64(0)
	for _, n := range t.Ops {
		sum += n
	}
	return sum
}

// Pending returns the number of timers that are pending at the end.
func (t Totals) Pending() uint64 { return t.Ops[Schedule] - t.Ops[Cancel] - t.Fired }

// Span returns the number of ticks from the first advance to the last. The ticks before do not
// count, because many programs count ticks from an epoch long before their start.
func (t Totals) Span() structures.Tick { return t.Last - t.First }

// Header describes a recording.
type Header struct {
	// Name is a short name of at most 100 letters, digits, dots, dashes and underscores. It begins
	// with a letter or a digit, because it becomes part of file names.
	Name        string
	Description string        // which program, under which load; one line of at most 32 KiB
	Tick        time.Duration // length of a tick
	Started     time.Time     // when the recording began, to the second; zero if not known
}

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// maxName and maxDescription bound the texts of a header (chosen).
const (
	maxName        = 100
	maxDescription = 32 << 10
)

func (h Header) validate() error {
	switch {
	case len(h.Name) > maxName || !validName.MatchString(h.Name):
		return fmt.Errorf("name %.*q: want 1 to %d letters, digits, dots, dashes and underscores, of which the first is a letter or a digit", maxName, h.Name, maxName)
	case len(h.Description) > maxDescription:
		return fmt.Errorf("a description of %d bytes: want at most %d", len(h.Description), maxDescription)
	case !utf8.ValidString(h.Description) || strings.ContainsFunc(h.Description, unicode.IsControl):
		return fmt.Errorf("description %.50q: want a line of UTF-8 without control characters", h.Description)
	case h.Tick <= 0:
		return fmt.Errorf("a tick of %d ns: want more than 0", h.Tick)
	case !h.Started.IsZero() && (h.Started.Year() < 1 || h.Started.Year() > 9999): // JSON has no other years
		return fmt.Errorf("a start %d seconds after 1970: want one in the years 1 to 9999", h.Started.Unix())
	}
	return nil
}
