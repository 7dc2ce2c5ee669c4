package hwheel_test

import (
	"fmt"

	"github.com/timerbench/timerbench/structures/intrusive/hwheel"
)

// session is a struct of the caller. Its timer leads back to it.
type session struct {
	user string
	idle hwheel.Timer[*session]
}

func Example() {
	timers := hwheel.New[*session]()
	alice, bob := &session{user: "alice"}, &session{user: "bob"}
	for _, s := range []*session{alice, bob} {
		s.idle.Value = s
		timers.Schedule(&s.idle, 30_000)
	}
	timers.Reschedule(&alice.idle, 45_000) // alice is active
	timers.Cancel(&bob.idle)               // bob logs out
	for at, ok := timers.Next(); ok; at, ok = timers.Next() {
		for t := timers.Pop(at); t != nil; t = timers.Pop(at) {
			fmt.Println(t.Deadline(), t.Value.user, "was idle")
		}
	}
	// Output: 45000 alice was idle
}
