package main

import (
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/trace"
)

// program is a program of a user with timers.
func program() {
	timers, stop, err := trace.FromEnv(hwheel.New[string](), trace.Header{Name: "program", Tick: time.Millisecond})
	if err != nil {
		panic(err)
	}
	for now := range structures.Tick(5000) {
		for range structures.Due(timers, now) {
		}
		timers.Schedule(now+30, "hello")
	}
	if err := stop(); err != nil {
		panic(err)
	}
}
