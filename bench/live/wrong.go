package live

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Wrong counts what a system did wrong.
type Wrong struct {
	Early   int // fired before its deadline
	Late    int // fired later than the system's bound and the tolerance allow
	Lost    int // was pending and never fired
	Twice   int // fired once more than it was started
	Stopped int // fired after Stop had returned true
	Refused int // Stop or Reset said that the timer was not pending, long before its deadline
	Claimed int // Stop or Reset said that the timer was pending, and it was not
}

// add counts what others have counted.
func (w *Wrong) add(o Wrong) {
	w.Early += o.Early
	w.Late += o.Late
	w.Lost += o.Lost
	w.Twice += o.Twice
	w.Stopped += o.Stopped
	w.Refused += o.Refused
	w.Claimed += o.Claimed
}

// Err returns an error that says what was wrong, or nil.
func (w Wrong) Err() error {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{w.Early, "fired early"},
		{w.Late, "fired too late"},
		{w.Lost, "never fired"},
		{w.Twice, "fired twice"},
		{w.Stopped, "fired after Stop returned true"},
		{w.Refused, "were pending, and Stop or Reset returned false"},
		{w.Claimed, "were not pending, and Stop or Reset returned true"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
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

// sheltered runs f and turns a panic into an error.
func sheltered(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return f()
}
