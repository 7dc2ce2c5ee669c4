// Command floor is an adapter without a structure, which only runs the loop and reports the timers that fire. Every
// adapter in Go contains this cost.
package main

import (
	"fmt"
	"os"

	timerbench "github.com/timerbench/timerbench/peers/go"
)

type floor struct{ pending int }

func (f *floor) Reserve(int) {}

func (f *floor) Schedule(uint32, int64) { f.pending++ }

func (f *floor) Cancel(uint32) { f.pending-- }

func (f *floor) Reschedule(uint32, int64) {}

func (f *floor) Pop(now int64, fired *timerbench.Fired) {
	for {
		slot, ok := fired.Due(now)
		if !ok {
			return
		}
		f.pending--
		fired.Add(now, slot)
	}
}

func (f *floor) Len() int { return f.pending }

func main() {
	err := timerbench.Serve("no structure: the floor", timerbench.Virtual|timerbench.Floor, func() *floor { return &floor{} })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
