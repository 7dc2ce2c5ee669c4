// Package catalog is the list of structures, one entry each, without registration at init time.
// The benchmark suite, the report, the command line and the tables of the documentation read it.
package catalog

import (
	"reflect"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/structures/btreegoogle"
	"github.com/timerbench/timerbench/structures/bucketheap"
	"github.com/timerbench/timerbench/structures/buckettree"
	"github.com/timerbench/timerbench/structures/calendar"
	"github.com/timerbench/timerbench/structures/ebtree"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/ffsqueue"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/structures/hwheellinux"
	"github.com/timerbench/timerbench/structures/hwheellist"
	"github.com/timerbench/timerbench/structures/ladder"
	"github.com/timerbench/timerbench/structures/lawn"
	"github.com/timerbench/timerbench/structures/list"
	"github.com/timerbench/timerbench/structures/minheap"
	"github.com/timerbench/timerbench/structures/minheapstd"
	"github.com/timerbench/timerbench/structures/octheap"
	"github.com/timerbench/timerbench/structures/pairingheap"
	"github.com/timerbench/timerbench/structures/quadheap"
	"github.com/timerbench/timerbench/structures/quadheaplazy"
	"github.com/timerbench/timerbench/structures/radixheap"
	"github.com/timerbench/timerbench/structures/rbtree"
	"github.com/timerbench/timerbench/structures/rbtreegods"
	"github.com/timerbench/timerbench/structures/skiplist"
	"github.com/timerbench/timerbench/structures/skiplisthuandu"
	"github.com/timerbench/timerbench/structures/soonlater"
	"github.com/timerbench/timerbench/structures/sortedlist"
	"github.com/timerbench/timerbench/structures/sweep"
	"github.com/timerbench/timerbench/structures/ttlbuckets"
	"github.com/timerbench/timerbench/structures/twolists"
	"github.com/timerbench/timerbench/structures/wheel"
	"github.com/timerbench/timerbench/structures/wheelfixed"
)

// root is the import path above all structures.
const root = "github.com/timerbench/timerbench/structures/"

// The costs of slots with a heap, which takes the timers for which they have no room.
const (
	ifFull     = "O(log n) if full, else O(1)"
	beyondSpan = "O(log n) beyond the span, else O(1)"
)

// of completes an entry by the constructor of its structure.
func of[T, O any, S structures.Scheduler[T]](newScheduler func(...O) S, e entry.For[T]) entry.For[T] {
	e.Package = reflect.TypeFor[S]().Elem().PkgPath()
	e.New = func() structures.Scheduler[T] { return newScheduler() }
	return e
}

// costs has the costs of the operations: of Schedule, of Cancel and Reschedule, and of Pop.
func costs(schedule, cancel, pop string) entry.Costs {
	return entry.Costs{Schedule: schedule, Cancel: cancel, Pop: pop}
}

// All returns every structure, in the order of tables and charts: by family, the simplest first.
func All() []entry.Entry { return For[uint64]() }

// For is All for structures with values of another type.
func For[T any]() []entry.For[T] {
	return []entry.For[T]{
		of(list.New[T], entry.For[T]{Name: "list", Family: entry.Lists, MaxBytes: 46, Limit: 10_000,
			Summary: "unsorted slice, scanned for its minimum: Python's schedule",
			Source:  "dbader/schedule", Costs: costs("O(1)", "O(1)", "O(n)")}),
		of(sortedlist.New[T], entry.For[T]{Name: "sortedlist", Family: entry.Lists, MaxBytes: 46, Ties: entry.FIFO, Limit: 1_000,
			Summary: "linked list in deadline order: FreeRTOS, Zephyr by default",
			Source:  "Varghese & Lauck 1987, scheme 2", Costs: costs("O(n)", "O(1)", "O(1)")}),
		of(twolists.New[T], entry.For[T]{Name: "twolists", Family: entry.Lists, MaxBytes: 64, Limit: 10_000,
			Summary: "two unsorted lists, one for timers that are due soon: .NET",
			Source:  ".NET Core 3.0, TimerQueue", Costs: costs("O(1)", "O(1)", "O(n)")}),
		of(minheap.New[T], entry.For[T]{Name: "minheap", Family: entry.Heaps, MaxBytes: 46,
			Summary: "binary heap: Java's DelayQueue, libuv, libevent",
			Source:  "Williams 1964, Algorithm 232", Costs: costs("O(log n)", "O(log n)", "O(log n)")}),
		of(minheapstd.New[T], entry.For[T]{Name: "minheap-std", Family: entry.Heaps, MaxBytes: 88, Allocates: true,
			Summary: "binary heap with positions, off the shelf: Go's container/heap",
			Source:  "Go's container/heap", Costs: costs("O(log n)", "O(log n)", "O(log n)")}),
		of(quadheap.New[T], entry.For[T]{Name: "quadheap", Family: entry.Heaps, MaxBytes: 54,
			Summary: "4-ary heap with cached deadlines: libev, JDK 25",
			Source:  "Johnson 1975; libev; Go CL 13094043", Costs: costs("O(log n)", "O(log n)", "O(log n)")}),
		of(octheap.New[T], entry.For[T]{Name: "octheap", Family: entry.Heaps, MaxBytes: 50,
			Summary: "8-ary heap, the deadlines of eight children share a cache line: good for timers that move",
			Source:  "LaMarca & Ladner 1996", Costs: costs("O(log n)", "O(log n)", "O(log n)")}),
		of(quadheaplazy.New[T], entry.For[T]{Name: "quadheap-lazy", Family: entry.Heaps, MaxBytes: 84,
			Summary: "4-ary heap with lazy cancel and move: Go's runtime since 1.14",
			Source:  "Go 1.14 runtime/time.go", Costs: costs("O(log n)", "O(1) amortized", "O(log n)")}),
		of(pairingheap.New[T], entry.For[T]{Name: "pairingheap", Family: entry.Heaps, MaxBytes: 54,
			Summary: "pairing heap: libxev",
			Source:  "Fredman, Sedgewick, Sleator & Tarjan 1986", Costs: costs("O(1)", "O(log n) amortized", "O(log n) amortized")}),
		of(radixheap.New[T], entry.For[T]{Name: "radixheap", Family: entry.Heaps, MaxBytes: 44, Ties: entry.FIFO,
			Summary: "buckets by the highest differing bit: seastar's timer_set",
			Source:  "Ahuja, Mehlhorn, Orlin & Tarjan 1990", Costs: costs("O(1)", "O(1)", "O(bits) a timer")}),
		of(wheel.New[T], entry.For[T]{Name: "wheel", Family: entry.Wheels, MaxBytes: 44, Ties: entry.FIFO,
			Summary: "flat wheel, timers wait in their slot for their revolution: go-zero, Netty",
			Source:  "Varghese & Lauck 1987, scheme 6", Costs: costs("O(1)", "O(1)", "O(n/slots) a tick")}),
		of(hwheel.New[T], entry.For[T]{Name: "hwheel", Family: entry.Wheels, MaxBytes: 43,
			Summary: "hierarchical, cascading wheel on chunks, emptied in steps: for many timers",
			Source:  "Varghese & Lauck 1987, scheme 7; ratas", Costs: costs("O(1)", "O(1)", "O(levels) a timer")}),
		of(auto.New[T], entry.For[T]{Name: "auto", Family: entry.Wheels, MaxBytes: 43,
			Summary: "the lists of ladder for few timers, the wheel of hwheel for many: the default",
			Source:  "Tang, Goh & Thng 2005; Varghese & Lauck 1987, scheme 7; ratas", Costs: costs("O(1)", "O(1)", "O(levels) a timer")}),
		of(hwheellist.New[T], entry.For[T]{Name: "hwheel-list", Family: entry.Wheels, MaxBytes: 44, Ties: entry.FIFO,
			Summary: "hierarchical, cascading wheel on linked lists, the classical form: Linux before 4.8, Kafka, tokio",
			Source:  "Varghese & Lauck 1987, scheme 7", Costs: costs("O(1)", "O(1)", "O(levels) a timer")}),
		of(hwheellinux.New[T], entry.For[T]{Name: "hwheel-linux", Family: entry.Wheels, MaxBytes: 46,
			Summary: "hierarchical wheel without cascades, coarse: Linux since 4.8",
			Source:  "Gleixner 2016, Linux kernel/time/timer.c",
			Costs:   costs("O(1)", "O(1)", "O(1)"), MaxLate: hwheellinux.MaxLate, Late: "less than 8/63 (12.7 %) of the delay"}),
		of(wheelfixed.New[T], entry.For[T]{Name: "wheel-fixed", Family: entry.Wheels, MaxBytes: 72,
			Summary: "coarse wheel without cascades, slots of fixed capacity, a heap if they are full: bitwheel",
			Source:  "bitwheel 0.4.0, a Rust library, 2025", Costs: costs(ifFull, ifFull, ifFull),
			MaxLate: wheelfixed.MaxLate, Late: "less than 8/63 (12.7 %) of the delay, or 3 ticks"}),
		of(calendar.New[T], entry.For[T]{Name: "calendar", Family: entry.Wheels, MaxBytes: 50, Ties: entry.FIFO,
			Summary: "calendar queue that resizes itself: network simulators (ns-3)",
			Source:  "Brown 1988", Costs: costs("O(1) expected", "O(1)", "O(1) expected")}),
		of(ladder.New[T], entry.For[T]{Name: "ladder", Family: entry.Wheels, MaxBytes: 70,
			Summary: "ladder queue that can cancel: linked lists, the first of which is sorted when it starts",
			Source:  "Tang, Goh & Thng 2005", Costs: costs("O(1)", "O(1)", "O(levels) a timer")}),
		of(ffsqueue.New[T], entry.For[T]{Name: "ffsqueue", Family: entry.Wheels, MaxBytes: 72,
			Summary: "a bucket per tick, found by a bitmap; a heap for timers beyond the span: Eiffel",
			Source:  "Saeed et al. 2019, Eiffel's cFFS", Costs: costs(beyondSpan, beyondSpan, beyondSpan)}),
		of(soonlater.New[T], entry.For[T]{Name: "soonlater", Family: entry.Wheels, MaxBytes: 72,
			Summary: "two wheels, for soon and later; timers move over in equal shares: Erlang/OTP",
			Source:  "OTP 21, erts/emulator/beam/time.c", Costs: costs("O(1)", "O(1)", "O(1) amortized")}),
		of(bucketheap.New[T], entry.For[T]{Name: "bucketheap", Family: entry.Wheels, MaxBytes: 185, Ties: entry.FIFO,
			Summary: "a heap of buckets, one for each tick with timers: Kafka's DelayQueue of buckets",
			Source:  "Kafka's purgatory", Costs: costs("O(log k)", "O(log k)", "O(log k) a bucket")}),
		of(buckettree.New[T], entry.For[T]{Name: "buckettree", Family: entry.Wheels, MaxBytes: 175, Ties: entry.FIFO,
			Summary: "a red-black tree of buckets, one for each tick with timers",
			Source:  "Guibas & Sedgewick 1978", Costs: costs("O(log k)", "O(1) amortized", "O(1) amortized")}),
		of(rbtree.New[T], entry.For[T]{Name: "rbtree", Family: entry.Trees, MaxBytes: 46, Ties: entry.FIFO,
			Summary: "red-black tree, cached leftmost: Linux hrtimer; without the cache nginx",
			Source:  "Guibas & Sedgewick 1978", Costs: costs("O(log n)", "O(1) amortized", "O(1) amortized")}),
		of(rbtreegods.New[T], entry.For[T]{Name: "rbtree-gods", Family: entry.Trees, MaxBytes: 138, Ties: entry.FIFO, Allocates: true,
			Summary: "off-the-shelf red-black tree: emirpasic/gods",
			Source:  "emirpasic/gods v1.18.1", Costs: costs("O(log n)", "O(log n)", "O(log n)"), ThirdParty: "github.com/emirpasic/gods"}),
		of(ebtree.New[T], entry.For[T]{Name: "ebtree", Family: entry.Trees, MaxBytes: 72, Ties: entry.FIFO,
			Summary: "elastic binary tree, a radix tree whose timers are both node and leaf: HAProxy",
			Source:  "Tarreau 2002, HAProxy's ebtree", Costs: costs("O(log n) expected", "O(1) expected", "O(1) expected")}),
		of(btreegoogle.New[T], entry.For[T]{Name: "btree-google", Family: entry.Trees, MaxBytes: 112, Ties: entry.FIFO, Allocates: true,
			Summary: "off-the-shelf B-tree: google/btree",
			Source:  "google/btree v1.1.3", Costs: costs("O(log n)", "O(log n)", "O(log n)"), ThirdParty: "github.com/google/btree"}),
		of(lawn.New[T], entry.For[T]{Name: "lawn", Family: entry.Lists, MaxBytes: 74,
			Summary: "a list per delay, and the first timer of each list in a heap: Node.js, libevent on request",
			Source:  "Lev-Libfeld 2019, arXiv 1906.10860", Costs: costs("O(log k)", "O(log k)", "O(log k)")}),
		of(ttlbuckets.New[T], entry.For[T]{Name: "ttl-buckets", Family: entry.Lists, MaxBytes: 96,
			Summary: "coarse buckets by delay, queues of segments that expire together: Segcache",
			Source:  "Yang, Yue & Vinayak, NSDI 2021", Costs: costs(ifFull, ifFull, ifFull),
			MaxLate: ttlbuckets.MaxLate, Late: "less than an eighth of the delay"}),
		of(sweep.New[T], entry.For[T]{Name: "sweep", Family: entry.Lists, MaxBytes: 40,
			Summary: "an array of deadlines that a loop scans every 1000 ticks, coarse: go-cache, many servers",
			Source:  "patrickmn/go-cache",
			Costs:   costs("O(1)", "O(1)", "O(n) a period"), MaxLate: sweep.MaxLate, Late: "less than 1000 ticks"}),
		of(skiplist.New[T], entry.For[T]{Name: "skiplist", Family: entry.Lists, MaxBytes: 84, Ties: entry.FIFO,
			Summary: "skip list: DPDK rte_timer",
			Source:  "Pugh 1990", Costs: costs("O(log n) expected", "O(1) expected", "O(1) expected")}),
		of(skiplisthuandu.New[T], entry.For[T]{Name: "skiplist-huandu", Family: entry.Lists, MaxBytes: 208, Ties: entry.FIFO, Allocates: true,
			Summary: "off-the-shelf skip list: huandu/skiplist",
			Source:  "huandu/skiplist v1.2.1",
			Costs:   costs("O(log n) expected", "O(log n) expected", "O(1)"), ThirdParty: "github.com/huandu/skiplist"}),
	}
}

// Find returns the entry of that name, of All or of Intrusive.
func Find(name string) (entry.Entry, bool) {
	for _, e := range append(All(), Intrusive()...) {
		if e.Name == name {
			return e, true
		}
	}
	return entry.Entry{}, false
}
