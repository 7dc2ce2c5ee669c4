package trace

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/timerbench/timerbench/structures"
)

// Header says what a trace is of.
type Header struct {
	Name        string        // of letters, digits, dots, dashes and underscores: it becomes part of the names of files and benchmarks
	Description string        // a line of free text: which program, under which load
	Tick        time.Duration // length of a tick
	Started     time.Time     // when the recording began, to the second; zero: not said
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
		return fmt.Errorf("name %.*q: want 1 to %d letters, digits, dots, dashes and underscores", maxName, h.Name, maxName)
	case len(h.Description) > maxDescription:
		return fmt.Errorf("a description of %d bytes: want at most %d", len(h.Description), maxDescription)
	case !utf8.ValidString(h.Description) || strings.ContainsFunc(h.Description, unicode.IsControl):
		return fmt.Errorf("description %.50q: want a line of UTF-8 without control characters", h.Description)
	case h.Tick <= 0:
		return fmt.Errorf("a tick of %d ns: want more than 0", h.Tick)
	}
	return nil
}

// Kind is a kind of operation.
type Kind uint8

// The kinds of operations, with their values in the file.
const (
	Schedule          Kind = iota // a timer is added
	Reschedule                    // a pending timer is moved
	Cancel                        // a pending timer is removed
	Advance                       // the clock moves, perhaps by 0, and all that is due fires
	RefusedReschedule             // of a timer that is not pending: nothing happens
	RefusedCancel                 // of a timer that is not pending: nothing happens
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
	At    structures.Tick // schedule, reschedule: its deadline; advance: the tick that it is now
	Fired []uint32        // advance: the keys of what fired, in no order that means anything
	Late  int             // advance: how many of them fired after their deadline
}

// Totals sum up a trace.
type Totals struct {
	Ops   [kinds]uint64   // operations by kind
	Fired uint64          // timers fired
	First structures.Tick // of the first advance
	Last  structures.Tick // of the last advance
	Keys  uint64          // keys needed, which is the largest number of pending timers as well
}

// Count returns the number of all operations; an advance is one.
func (t Totals) Count() uint64 {
	sum := uint64(0)
	for _, n := range t.Ops {
		sum += n
	}
	return sum
}

// Pending returns the number of timers pending at the end.
func (t Totals) Pending() uint64 { return t.Ops[Schedule] - t.Ops[Cancel] - t.Fired }

// Span returns the ticks from the first advance to the last. What lies before
// the first is no time that has passed: many programs count ticks from an epoch
// long before their start.
func (t Totals) Span() structures.Tick { return t.Last - t.First }

// DamageError says where a trace is damaged or cut short, and how.
type DamageError struct {
	File   string
	Offset int64  // of the section that is damaged, in bytes
	Chunk  int    // from 1; 0: outside the chunks
	Op     uint64 // from 1; 0: the damage is not in one operation
	Err    error
}

func (e *DamageError) Error() string {
	where := fmt.Sprintf("%s: byte %d", e.File, e.Offset)
	if e.Chunk > 0 {
		where += fmt.Sprintf(", chunk %d", e.Chunk)
	}
	if e.Op > 0 {
		where += fmt.Sprintf(", operation %d", e.Op)
	}
	return fmt.Sprintf("%s: %v", where, e.Err)
}

func (e *DamageError) Unwrap() error { return e.Err }

// ErrCutShort is what a DamageError holds where a trace ends before its footer:
// the recording was interrupted, or the file was not copied whole.
var ErrCutShort = errors.New("the trace is cut short")
