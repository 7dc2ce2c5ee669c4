package live

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// slot is the model of one timer. One goroutine starts, stops and moves the timer; it may
// fire on any goroutine. Times are in ns since the start of the check.
//
// An answer of Stop or Reset may cross a firing: the function may start to run only after the answer that says
// so. Such a firing is announced. A firing during a pending call is judged after the call returns.
type slot struct {
	mu           sync.Mutex
	armed        bool    // started, and not known to have fired
	due          int64   // if armed: earliest legal firing
	latest       int64   // if armed: latest legal firing
	announced    int     // announced firings still to come
	announcedDue int64   // earliest legal announced firing
	stopped      bool    // the last answer said stopped
	awaiting     bool    // a call is pending
	first        int64   // the first firing
	crossed      []int64 // firings during the pending call
	unjudged     bool    // the check was too slow to know the expected result

	counts Counts
	wrong  Wrong
}

// fire records a firing. It reports whether it is the first one.
func (s *slot) fire(at int64) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first = s.counts.Fired+len(s.crossed) == 0; first {
		s.first = at
	}
	if s.awaiting {
		s.crossed = append(s.crossed, at)
	} else {
		s.judge(at)
	}
	return first
}

// judge counts a firing and its fault, if any. The caller holds the lock.
func (s *slot) judge(at int64) {
	s.counts.Fired++
	switch {
	case s.unjudged:
	case s.announced > 0:
		s.announced--
		if at < s.announcedDue {
			s.wrong[Early]++
		}
	case s.armed:
		s.armed = false
		if at < s.due {
			s.wrong[Early]++
		} else if at > s.latest {
			s.wrong[Late]++
		}
	case s.stopped:
		s.wrong[Stopped]++
	default:
		s.wrong[Twice]++
	}
}

// ask begins an operation and returns the state before it.
func (s *slot) ask() (armed bool, due int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awaiting = true
	return s.armed, s.due
}

// answered ends an operation. learn records the answer.
func (s *slot) answered(learn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	learn()
	s.awaiting = false
	for _, at := range s.crossed {
		s.judge(at)
	}
	s.crossed = s.crossed[:0]
}

// arm records that the timer is pending.
func (s *slot) arm(due, latest int64) {
	s.armed, s.stopped, s.due, s.latest = true, false, due, latest
}

// disarm records an answer: whether the timer was pending. now is the time of the answer.
func (s *slot) disarm(pending bool, now int64) {
	switch {
	case pending && !s.armed:
		s.wrong[Claimed]++
	case !pending && s.armed && now < s.due:
		s.wrong[Refused]++
	case !pending && s.armed:
		s.announced++
		s.announcedDue = s.due
	}
	s.armed, s.stopped = false, false
}

// settled reports whether no firing is expected any more.
func (s *slot) settled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unjudged || !s.armed && s.announced == 0
}

// end adds the faults of the timer to wrong. It returns the counts of the timer, and its first firing if it has fired.
func (s *slot) end(wrong *Wrong) (counts Counts, first int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.unjudged {
		s.wrong[Lost] += s.announced
		if s.armed {
			s.wrong[Lost]++
		}
	}
	for f, n := range s.wrong {
		wrong[f] += n
	}
	return s.counts, s.first
}

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
// load. It is far above any measured lateness: a virtual machine may stand still for seconds.
const tolerance = 15 * time.Second
