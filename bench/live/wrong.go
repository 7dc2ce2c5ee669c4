package live

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Fault is a way to do something wrong.
type Fault int

// The faults.
const (
	Early   Fault = iota // fired before its deadline
	Late                 // fired later than the system's bound and the tolerance allow
	Lost                 // was pending and never fired
	Twice                // fired once more than it was started
	Stopped              // fired after Stop had returned true
	Refused              // Stop or Reset said that the timer was not pending, long before its deadline
	Claimed              // Stop or Reset said that the timer was pending, and it was not
	faultKinds
)

var faultTexts = [faultKinds]string{
	"fired early", "fired too late", "never fired", "fired twice", "fired after Stop returned true",
	"were pending, and Stop or Reset returned false", "were not pending, and Stop or Reset returned true",
}

// Wrong counts what a system did wrong.
type Wrong [faultKinds]int

// Err returns an error that says what was wrong, or nil.
func (w Wrong) Err() error {
	var parts []string
	for f, n := range w {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, faultTexts[f]))
		}
	}
	if parts == nil {
		return nil
	}
	return errors.New(strings.Join(parts, ", "))
}

// tolerance is how much later than its bound a timer may fire, as the machine does other
// things too: far more than what is measured, far less than never.
const tolerance = 2 * time.Second
