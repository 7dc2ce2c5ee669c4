package live

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Fault is a kind of misbehavior.
type Fault int

// The faults.
const (
	Early   Fault = iota // fired before its deadline
	Late                 // fired later than the system's bound plus the tolerance
	Lost                 // was pending and never fired
	Twice                // fired more often than it was started
	Stopped              // fired after Stop returned true
	Refused              // Stop or Reset returned false long before the deadline
	Claimed              // Stop or Reset returned true for a timer that was not pending
	faultKinds
)

var faultTexts = [faultKinds]string{
	"fired early", "fired too late", "never fired", "fired twice", "fired after Stop returned true",
	"were pending, and Stop or Reset returned false", "were not pending, and Stop or Reset returned true",
}

// Wrong counts the faults of a system by kind.
type Wrong [faultKinds]int

// Err returns an error that lists the faults, or nil if there are none.
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

// tolerance is the lateness allowed beyond a contender's bound, because the machine has other
// load. It is far above any measured lateness.
const tolerance = 2 * time.Second
