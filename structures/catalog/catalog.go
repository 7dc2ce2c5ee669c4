// Package catalog is the list of structures, one entry each, without registration at init time.
// The benchmark suite, the report, the command line and the tables of the documentation read it.
package catalog

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/structures/btree"
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
	"github.com/timerbench/timerbench/structures/splay"
	"github.com/timerbench/timerbench/structures/twolists"
	"github.com/timerbench/timerbench/structures/wheel"
	"github.com/timerbench/timerbench/structures/wheelfixed"
)

// root is the import path above all structures.
const root = "github.com/timerbench/timerbench/structures/"

// The costs of most structures.
var (
	constant    = entry.Cost{Growth: entry.Constant}
	logarithmic = entry.Cost{Growth: entry.Logarithmic}
	logDistinct = entry.Cost{Growth: entry.LogDistinct}
	linear      = entry.Cost{Growth: entry.Linear}

	// A heap takes the timers for which the slots have no room.
	whereFull  = entry.Cost{Growth: entry.Logarithmic, Note: "if full, else O(1)"}
	beyondSpan = entry.Cost{Growth: entry.Logarithmic, Note: "beyond the span, else O(1)"}
)

func costs(schedule, cancel, pop entry.Cost) entry.Costs {
	return entry.Costs{Schedule: schedule, Cancel: cancel, Pop: pop}
}

func cost(growth entry.Growth, in, note string) entry.Cost {
	return entry.Cost{Growth: growth, In: in, Note: note}
}

// amortized returns the cost over many operations.
func amortized(c entry.Cost) entry.Cost {
	c.Note = "amortized"
	return c
}

// expected returns the cost on average over random choices.
func expected(c entry.Cost) entry.Cost {
	c.Note = "expected"
	return c
}

// All returns every structure, in the order of tables and charts: by family, the simplest first.
func All() []entry.Entry { return For[uint64]() }

// For is All for structures with values of another type.
func For[T any]() []entry.For[T] {
	return []entry.For[T]{
		{
			Name: "list", Family: entry.Lists, Package: root + "list",
			Summary:  "unsorted slice, scanned for its minimum: Python's schedule",
			Source:   "dbader/schedule",
			Costs:    costs(constant, constant, linear),
			Limit:    10_000,
			MaxBytes: 46,
			New:      func() structures.Scheduler[T] { return list.New[T]() },
		},
		{
			Name: "sortedlist", Family: entry.Lists, Package: root + "sortedlist",
			Summary: "linked list in deadline order: Zephyr, FreeRTOS",
			Source:  "Varghese & Lauck 1987, scheme 2",
			Costs:   costs(linear, constant, constant), Ties: entry.FIFO,
			Limit:    1_000,
			MaxBytes: 46,
			New:      func() structures.Scheduler[T] { return sortedlist.New[T]() },
		},
		{
			Name: "twolists", Family: entry.Lists, Package: root + "twolists",
			Summary:  "two unsorted lists, one for timers due within 333 ticks: .NET",
			Source:   ".NET Core 3.0, TimerQueue",
			Costs:    costs(constant, constant, linear),
			Limit:    10_000,
			MaxBytes: 64,
			New:      func() structures.Scheduler[T] { return twolists.New[T]() },
		},
		{
			Name: "minheap", Family: entry.Heaps, Package: root + "minheap",
			Summary:  "binary heap: Java's DelayQueue, libuv, gocorex/cron",
			Source:   "Williams 1964, Algorithm 232",
			Costs:    costs(logarithmic, logarithmic, logarithmic),
			MaxBytes: 46,
			New:      func() structures.Scheduler[T] { return minheap.New[T]() },
		},
		{
			Name: "minheap-std", Family: entry.Heaps, Package: root + "minheapstd",
			Summary:   "container/heap with positions: most Go code",
			Source:    "Go's container/heap",
			Costs:     costs(logarithmic, logarithmic, logarithmic),
			Allocates: true,
			MaxBytes:  88,
			New:       func() structures.Scheduler[T] { return minheapstd.New[T]() },
		},
		{
			Name: "quadheap", Family: entry.Heaps, Package: root + "quadheap",
			Summary:  "4-ary heap with cached deadlines: Go's runtime, libev",
			Source:   "Johnson 1975; libev; Go CL 13094043",
			Costs:    costs(logarithmic, logarithmic, logarithmic),
			MaxBytes: 54,
			New:      func() structures.Scheduler[T] { return quadheap.New[T]() },
		},
		{
			Name: "octheap", Family: entry.Heaps, Package: root + "octheap",
			Summary:  "8-ary heap, the deadlines of eight children share a cache line: good for timers that move",
			Source:   "LaMarca & Ladner 1996",
			Costs:    costs(logarithmic, logarithmic, logarithmic),
			MaxBytes: 50,
			New:      func() structures.Scheduler[T] { return octheap.New[T]() },
		},
		{
			Name: "quadheap-lazy", Family: entry.Heaps, Package: root + "quadheaplazy",
			Summary:  "4-ary heap with lazy cancel and move: Go's runtime since 1.14",
			Source:   "Go 1.14 runtime/time.go",
			Costs:    costs(logarithmic, amortized(constant), logarithmic),
			MaxBytes: 84,
			New:      func() structures.Scheduler[T] { return quadheaplazy.New[T]() },
		},
		{
			Name: "pairingheap", Family: entry.Heaps, Package: root + "pairingheap",
			Summary:  "pairing heap: the priority-queue literature",
			Source:   "Fredman, Sedgewick, Sleator & Tarjan 1986",
			Costs:    costs(constant, amortized(logarithmic), amortized(logarithmic)),
			MaxBytes: 54,
			New:      func() structures.Scheduler[T] { return pairingheap.New[T]() },
		},
		{
			Name: "radixheap", Family: entry.Heaps, Package: root + "radixheap",
			Summary: "buckets by the highest differing bit: seastar's timer_set",
			Source:  "Ahuja, Mehlhorn, Orlin & Tarjan 1990",
			Costs:   costs(constant, constant, cost(entry.Logarithmic, "bits", "a timer")), Ties: entry.FIFO,
			MaxBytes: 44,
			New:      func() structures.Scheduler[T] { return radixheap.New[T]() },
		},
		{
			Name: "wheel", Family: entry.Wheels, Package: root + "wheel",
			Summary: "flat wheel, timers wait in their slot for their revolution: go-zero, Netty, gocorex/cron",
			Source:  "Varghese & Lauck 1987, scheme 6",
			Costs:   costs(constant, constant, cost(entry.Linear, "n/slots", "a tick")), Ties: entry.FIFO,
			MaxBytes: 44,
			New:      func() structures.Scheduler[T] { return wheel.New[T]() },
		},
		{
			Name: "hwheel", Family: entry.Wheels, Package: root + "hwheel",
			Summary: "hierarchical, cascading wheel on chunks, emptied in steps: for many timers",
			Source:  "Varghese & Lauck 1987, scheme 7; ratas",
			Costs:   costs(constant, constant, cost(entry.Logarithmic, "levels", "a timer")), Ties: entry.Unspecified,
			MaxBytes: 43,
			New:      func() structures.Scheduler[T] { return hwheel.New[T]() },
		},
		{
			Name: "auto", Family: entry.Wheels, Package: root + "auto",
			Summary: "the lists of ladder for few timers, the wheel of hwheel for many: the default",
			Source:  "Tang, Goh & Thng 2005; Varghese & Lauck 1987, scheme 7; ratas",
			Costs:   costs(constant, constant, cost(entry.Logarithmic, "levels", "a timer")), Ties: entry.Unspecified,
			MaxBytes: 43,
			New:      func() structures.Scheduler[T] { return auto.New[T]() },
		},
		{
			Name: "hwheel-list", Family: entry.Wheels, Package: root + "hwheellist",
			Summary: "the same on linked lists, the classical form: Linux before 4.8, Kafka, tokio",
			Source:  "Varghese & Lauck 1987, scheme 7",
			Costs:   costs(constant, constant, cost(entry.Logarithmic, "levels", "a timer")), Ties: entry.FIFO,
			MaxBytes: 44,
			New:      func() structures.Scheduler[T] { return hwheellist.New[T]() },
		},
		{
			Name: "hwheel-linux", Family: entry.Wheels, Package: root + "hwheellinux",
			Summary: "hierarchical wheel without cascades, coarse: Linux since 4.8",
			Source:  "Gleixner 2016, Linux kernel/time/timer.c",
			Costs:   costs(constant, constant, constant),
			MaxLate: hwheellinux.MaxLate, Late: "less than 8/63 (12.7 %) of the delay",
			MaxBytes: 46,
			New:      func() structures.Scheduler[T] { return hwheellinux.New[T]() },
		},
		{
			Name: "wheel-fixed", Family: entry.Wheels, Package: root + "wheelfixed",
			Summary: "coarse wheel without cascades, slots of fixed capacity, a heap if they are full: bitwheel",
			Source:  "bitwheel, a Rust library, 2025",
			Costs:   costs(whereFull, whereFull, whereFull),
			MaxLate: wheelfixed.MaxLate, Late: "less than 8/63 (12.7 %) of the delay, or 3 ticks",
			MaxBytes: 72,
			New:      func() structures.Scheduler[T] { return wheelfixed.New[T]() },
		},
		{
			Name: "calendar", Family: entry.Wheels, Package: root + "calendar",
			Summary: "calendar queue that resizes itself: network simulators",
			Source:  "Brown 1988",
			Costs:   costs(expected(constant), constant, expected(constant)), Ties: entry.FIFO,
			MaxBytes: 50,
			New:      func() structures.Scheduler[T] { return calendar.New[T]() },
		},
		{
			Name: "ladder", Family: entry.Wheels, Package: root + "ladder",
			Summary: "ladder queue that can cancel: linked lists, of which the first is sorted when it starts",
			Source:  "Tang, Goh & Thng 2005",
			Costs:   costs(constant, constant, cost(entry.Logarithmic, "levels", "a timer")), Ties: entry.Unspecified,
			MaxBytes: 70,
			New:      func() structures.Scheduler[T] { return ladder.New[T]() },
		},
		{
			Name: "ffsqueue", Family: entry.Wheels, Package: root + "ffsqueue",
			Summary:  "a bucket per tick, found by a bitmap; a heap for timers beyond the span: Eiffel",
			Source:   "Saeed et al. 2019, Eiffel's cFFS",
			Costs:    costs(beyondSpan, beyondSpan, beyondSpan),
			MaxBytes: 72,
			New:      func() structures.Scheduler[T] { return ffsqueue.New[T]() },
		},
		{
			Name: "soonlater", Family: entry.Wheels, Package: root + "soonlater",
			Summary:  "two wheels, for soon and later; timers move over in equal shares: Erlang/OTP",
			Source:   "OTP 21, erts/emulator/beam/time.c",
			Costs:    costs(constant, constant, amortized(constant)),
			MaxBytes: 72,
			New:      func() structures.Scheduler[T] { return soonlater.New[T]() },
		},
		{
			Name: "bucketheap", Family: entry.Wheels, Package: root + "bucketheap",
			Summary: "a heap of buckets, one for each tick with timers: Kafka's DelayQueue of buckets",
			Source:  "Kafka's purgatory",
			Costs:   costs(logDistinct, logDistinct, cost(entry.LogDistinct, "", "a bucket")), Ties: entry.FIFO,
			MaxBytes: 185,
			New:      func() structures.Scheduler[T] { return bucketheap.New[T]() },
		},
		{
			Name: "buckettree", Family: entry.Wheels, Package: root + "buckettree",
			Summary: "a red-black tree of buckets, one for each tick with timers: hrtimer in the literature",
			Source:  "literature on Linux hrtimers",
			Costs:   costs(logDistinct, amortized(constant), amortized(constant)), Ties: entry.FIFO,
			MaxBytes: 175,
			New:      func() structures.Scheduler[T] { return buckettree.New[T]() },
		},
		{
			Name: "rbtree", Family: entry.Trees, Package: root + "rbtree",
			Summary: "red-black tree, cached leftmost: nginx, Linux hrtimer",
			Source:  "Guibas & Sedgewick 1978",
			Costs:   costs(logarithmic, amortized(constant), amortized(constant)), Ties: entry.FIFO,
			MaxBytes: 46,
			New:      func() structures.Scheduler[T] { return rbtree.New[T]() },
		},
		{
			Name: "rbtree-gods", Family: entry.Trees, Package: root + "rbtreegods",
			Summary: "off-the-shelf red-black tree: emirpasic/gods",
			Source:  "emirpasic/gods v1.18.1",
			Costs:   costs(logarithmic, logarithmic, logarithmic), Ties: entry.FIFO,
			Allocates: true, ThirdParty: "github.com/emirpasic/gods",
			MaxBytes: 138,
			New:      func() structures.Scheduler[T] { return rbtreegods.New[T]() },
		},
		{
			Name: "splay", Family: entry.Trees, Package: root + "splay",
			Summary: "splay tree, balances itself by use: event simulators",
			Source:  "Sleator & Tarjan 1985; Jones 1986",
			Costs:   costs(amortized(logarithmic), amortized(logarithmic), amortized(logarithmic)), Ties: entry.FIFO,
			MaxBytes: 54,
			New:      func() structures.Scheduler[T] { return splay.New[T]() },
		},
		{
			Name: "ebtree", Family: entry.Trees, Package: root + "ebtree",
			Summary: "elastic binary tree, a radix tree whose timers are both node and leaf: HAProxy",
			Source:  "Tarreau 2002, HAProxy's ebtree",
			Costs:   costs(expected(logarithmic), expected(constant), expected(constant)), Ties: entry.FIFO,
			MaxBytes: 72,
			New:      func() structures.Scheduler[T] { return ebtree.New[T]() },
		},
		{
			Name: "btree", Family: entry.Trees, Package: root + "btree",
			Summary: "B+-tree, wide nodes that take few cache lines to search: databases",
			Source:  "Bayer & McCreight 1972; Rao & Ross 2000",
			Costs:   costs(logarithmic, amortized(constant), amortized(constant)), Ties: entry.FIFO,
			MaxBytes: 80,
			New:      func() structures.Scheduler[T] { return btree.New[T]() },
		},
		{
			Name: "btree-google", Family: entry.Trees, Package: root + "btreegoogle",
			Summary: "off-the-shelf B-tree: google/btree",
			Source:  "google/btree v1.1.3",
			Costs:   costs(logarithmic, logarithmic, logarithmic), Ties: entry.FIFO,
			Allocates: true, ThirdParty: "github.com/google/btree",
			MaxBytes: 112,
			New:      func() structures.Scheduler[T] { return btreegoogle.New[T]() },
		},
		{
			Name: "lawn", Family: entry.Lists, Package: root + "lawn",
			Summary:  "a list per delay, and the first timer of each list in a heap: Node.js, libevent",
			Source:   "Lev-Libfeld 2019, arXiv 1906.10860",
			Costs:    costs(logDistinct, logDistinct, logDistinct),
			MaxBytes: 74,
			New:      func() structures.Scheduler[T] { return lawn.New[T]() },
		},
		{
			Name: "skiplist", Family: entry.Lists, Package: root + "skiplist",
			Summary: "skip list: DPDK rte_timer",
			Source:  "Pugh 1990",
			Costs:   costs(expected(logarithmic), expected(constant), expected(constant)), Ties: entry.FIFO,
			MaxBytes: 84,
			New:      func() structures.Scheduler[T] { return skiplist.New[T]() },
		},
		{
			Name: "skiplist-huandu", Family: entry.Lists, Package: root + "skiplisthuandu",
			Summary: "off-the-shelf skip list: huandu/skiplist",
			Source:  "huandu/skiplist v1.2.1",
			Costs:   costs(expected(logarithmic), expected(logarithmic), constant), Ties: entry.FIFO,
			Allocates: true, ThirdParty: "github.com/huandu/skiplist",
			MaxBytes: 208,
			New:      func() structures.Scheduler[T] { return skiplisthuandu.New[T]() },
		},
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
