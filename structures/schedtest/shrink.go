package schedtest

import (
	"strings"
	"time"

	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/schedtest/model"
)

// shrinkTime is the time that shrinking a failure may take.
const shrinkTime = 2 * time.Second

// smallest returns the message of the fewest operations that it finds to break a rule. It returns message if the
// operations of the subject do not break the rule once more on a new structure.
func (s *subject) smallest(rule, message string) string {
	if s.shrink == 0 {
		return message
	}
	hangs := false
	fails := func(ops []model.Op) bool {
		if hangs {
			return false
		}
		done := make(chan string, 1)
		go func() { done <- s.repeat(ops) }()
		select {
		case got := <-done:
			broken := strings.HasPrefix(got, `rule "`+rule+`" broken`)
			if broken {
				message = got
			}
			return broken
		case <-time.After(s.shrink):
			hangs = true
			return false
		}
	}
	ops := make([]model.Op, len(s.trace))
	for i, e := range s.trace {
		ops[i] = e.Op
	}
	if fails(ops) {
		all := func(ops []model.Op) []model.Op { return ops }
		model.Shrink(ops, time.Now().Add(s.shrink), all, fails)
	}
	return message
}

// repeat executes operations of the subject on a new structure, fires all timers that are pending at the end, and returns
// the failure.
func (s *subject) repeat(ops []model.Op) string {
	c := *s.config
	c.shrink, c.scale = 0, long // which checks the invariants often
	return strings.Join(checking.Record(func(r reporter) {
		defer func() { _ = recover() }() // a structure that panics does something else
		n := newSubject(r, &c, "%s, the fewest of %d operations", s.label, len(s.trace))
		n.walk = s.walk
		for slot, id := range s.ids {
			if slot >= firstForged {
				n.ids[slot] = id
			}
		}
		for _, o := range ops {
			if _, known := n.ids[o.Slot]; known || o.Kind == model.Schedule {
				n.Do(o)
			}
		}
		n.stepAll()
		n.finish()
	}), "")
}
