package rbtree_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures/intrusive/rbtree"
)

// session is a struct of the caller with two timers, of which each leads back to it.
type session struct {
	user        string
	idle, renew rbtree.Timer[*session]
}

func newSession(user string) *session {
	s := &session{user: user}
	s.idle.Value, s.renew.Value = s, s
	return s
}

func Example() {
	timers := rbtree.New[*session]()
	alice, bob := newSession("alice"), newSession("bob")
	timers.Schedule(&alice.idle, 30_000)
	timers.Schedule(&bob.idle, 30_500)
	timers.Schedule(&bob.renew, 20_000)

	timers.Reschedule(&alice.idle, 45_000) // alice is active
	timers.Cancel(&bob.renew)              // bob logs out soon

	for {
		at, ok := timers.Next()
		if !ok {
			break
		}
		for t := timers.Pop(at); t != nil; t = timers.Pop(at) {
			fmt.Println(t.Deadline(), t.Value.user, "was idle")
		}
	}
	// Output:
	// 30500 bob was idle
	// 45000 alice was idle
}
