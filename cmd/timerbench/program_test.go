package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/trace"
)

// program is a program of a user with timers. It returns its exit code.
func program(how string) int {
	if how == "bare" {
		return 0
	}
	timers, stop, err := trace.FromEnv(hwheel.New[string](), trace.Header{Name: "program", Tick: time.Millisecond})
	if err != nil {
		return failed(err)
	}
	for now := range structures.Tick(5000) {
		for range structures.Due(timers, now) {
		}
		timers.Schedule(now+30, "hello")
	}
	code := 0
	switch how {
	case "forgets to stop":
		return 0
	case "fails":
		code = 7
	case "serves":
		interrupt := make(chan os.Signal, 1)
		signal.Notify(interrupt, os.Interrupt, syscall.SIGTERM) // whichever comes first
		fmt.Println("ready")
		<-interrupt
	}
	return max(code, failed(stop()))
}

// failed prints the error, if there is one, and returns the exit code.
func failed(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	return 3
}
