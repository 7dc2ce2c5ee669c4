package paged_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/structures/hwheellist"
	"github.com/timerbench/timerbench/structures/internal/paged"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// Each structure keeps the contract with the option, with values that have pointers, too. The records of 50,000 timers take more than the first
// megabyte.
func TestStructuresKeepTheContractOnHugePages(t *testing.T) {
	for name, c := range map[string]struct {
		new     func() structures.Scheduler[uint64]
		strings func() structures.Scheduler[string]
		opts    []schedtest.Option
	}{
		"auto": {
			new:     func() structures.Scheduler[uint64] { return auto.New[uint64](auto.HugePages()) },
			strings: func() structures.Scheduler[string] { return auto.New[string](auto.HugePages(), auto.Capacity(1000)) },
		},
		"hwheel": {
			new:     func() structures.Scheduler[uint64] { return hwheel.New[uint64](hwheel.HugePages()) },
			strings: func() structures.Scheduler[string] { return hwheel.New[string](hwheel.HugePages()) },
		},
		"hwheellist": {
			new:     func() structures.Scheduler[uint64] { return hwheellist.New[uint64](hwheellist.HugePages()) },
			strings: func() structures.Scheduler[string] { return hwheellist.New[string](hwheellist.HugePages()) },
			opts:    []schedtest.Option{schedtest.FIFO()},
		},
	} {
		t.Run(name, func(t *testing.T) {
			const n = 50_000
			schedtest.Many(t, n, c.new, c.opts...)
			before := whitebox.HeapBytes()
			s := c.strings()
			for i := range n {
				s.Schedule(structures.Tick(n-i), fmt.Sprint(i))
			}
			if got, most := whitebox.HeapBytes()-before, int64(n*100+10<<20); got > most {
				t.Errorf("%d timers take %d bytes, want at most %d", n, got, most)
			}
			for i := range n {
				if due, ok := s.Pop(n); !ok || due.Value != fmt.Sprint(n-1-i) {
					t.Fatalf("timer %d fires with %q, %t", i, due.Value, ok)
				}
			}
		})
	}
}

// Linux notes the advice in the flags of the mapping.
func TestTheSystemIsAsked(t *testing.T) {
	a := paged.ArrayOf[uint64]()
	a.Huge = true
	a.Reserve(1 << 18) // two megabytes, of which the second is in a block
	from := uintptr(unsafe.Pointer(a.At(1 << 17)))
	if from%(2<<20) != 0 {
		t.Fatalf("%#x is no start of a huge page", from)
	}
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this system has no huge pages that a program may ask for")
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for line := range strings.Lines(string(maps)) {
		var low, high uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x", &low, &high); n == 2 {
			inside = low <= from && from < high
		} else if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && inside {
			if !strings.Contains(flags, " hg") {
				t.Errorf("the mapping has the flags %q, want hg", flags)
			}
			return
		}
	}
	t.Error("no mapping has the memory")
}
