package live

import (
	"sync"

	"github.com/timerbench/timerbench/bench/results"
)

// slot is what a check knows of one timer. One goroutine starts, stops and moves the
// timer; it fires on any. Times are in ns since the start of the check.
//
// An answer of Stop or Reset and a firing may cross: a function may begin to run only
// after the answer that says that it does. Such a firing is announced. What fires while an
// answer is awaited is judged once the answer is there.
type slot struct {
	mu           sync.Mutex
	armed        bool  // started and, for all that is known, not fired
	due          int64 // if armed: it must not fire before
	latest       int64 // if armed: it must fire by then
	announced    int   // firings that an answer has announced and that have not come yet
	announcedDue int64 // they must not come before
	stopped      bool  // the last answer was that it is stopped
	awaiting     bool  // an answer is awaited
	crossed      []int64
	unjudged     bool // too slow to know what to expect: what it does does not count

	counts results.LiveCheck
	wrong  Wrong
}

// fire takes note of a firing.
func (s *slot) fire(at int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.awaiting {
		s.crossed = append(s.crossed, at)
		return
	}
	s.judge(at)
}

// judge says what is wrong with a firing, if anything. The lock is held.
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

// ask begins an operation and returns what was known before it.
func (s *slot) ask() (armed bool, due int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awaiting = true
	return s.armed, s.due
}

// answered ends an operation: learn takes note of the answer.
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

// arm takes note that the timer is pending.
func (s *slot) arm(due, latest int64) {
	s.armed, s.stopped, s.due, s.latest = true, false, due, latest
}

// disarm takes note of an answer: whether the timer, which was armed or not before the
// operation, was pending. now is when the answer came.
func (s *slot) disarm(armed, pending bool, due, now int64) {
	s.armed, s.stopped = false, false
	switch {
	case pending && !armed:
		s.wrong[Claimed]++
	case !pending && armed && now < due:
		s.wrong[Refused]++
	case !pending && armed:
		s.announced++
		s.announcedDue = due
	}
}

// settled reports whether nothing is to come any more.
func (s *slot) settled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unjudged || !s.armed && s.announced == 0
}

// end adds what the timer did, and what was wrong.
func (s *slot) end(counts *results.LiveCheck, wrong *Wrong) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.unjudged {
		s.wrong[Lost] += s.announced
		if s.armed {
			s.wrong[Lost]++
		}
	}
	counts.Started += s.counts.Started
	counts.Stopped += s.counts.Stopped
	counts.Moved += s.counts.Moved
	counts.Fired += s.counts.Fired
	for f, n := range s.wrong {
		wrong[f] += n
	}
}
