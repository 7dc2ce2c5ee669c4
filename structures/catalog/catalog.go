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

// root is where the structures live.
const root = "github.com/timerbench/timerbench/structures/"

// All returns every structure, as tables and charts show them: by family, the simplest first.
func All() []Entry { return For[uint64]() }

// For is All for structures with values of another type.
func For[T any]() []EntryFor[T] {
	return []EntryFor[T]{
		{
			Name: "list", Family: Lists, Package: root + "list",
			Summary:  "unsorted slice, scanned for its minimum: Python's schedule",
			Source:   "dbader/schedule",
			Costs:    Costs{constant, constant, Cost{Growth: Linear}},
			Limit:    10_000,
			MaxBytes: 46,
			New:      func() structures.Scheduler[T] { return list.New[T]() },
		},
		{
			Name: "sortedlist", Family: Lists, Package: root + "sortedlist",
			Summary: "linked list in the order of the deadlines: Zephyr, FreeRTOS",
			Source:  "Varghese & Lauck 1987, scheme 2",
			Costs:   Costs{Cost{Growth: Linear}, constant, constant}, Ties: FIFO,
			Limit:    1_000,
			MaxBytes: 46,
			New:      func() structures.Scheduler[T] { return sortedlist.New[T]() },
		},
		{
			Name: "twolists", Family: Lists, Package: root + "twolists",
			Summary:  "unsorted lists of timers due within 333 ticks and of the others: .NET",
			Source:   ".NET Core 3.0, TimerQueue",
			Costs:    Costs{constant, constant, Cost{Growth: Linear}},
			Limit:    10_000,
			MaxBytes: 64,
			New:      func() structures.Scheduler[T] { return twolists.New[T]() },
		},
		{
			Name: "minheap", Family: Heaps, Package: root + "minheap",
			Summary:  "binary heap: Java's DelayQueue, libuv, gocorex/cron",
			Source:   "Williams 1964, Algorithm 232",
			Costs:    Costs{logarithmic, logarithmic, logarithmic},
			MaxBytes: 46,
			New:      func() structures.Scheduler[T] { return minheap.New[T]() },
		},
		{
			Name: "minheap-std", Family: Heaps, Package: root + "minheapstd",
			Summary:   "container/heap with positions: what most Go code does",
			Source:    "Go's container/heap",
			Costs:     Costs{logarithmic, logarithmic, logarithmic},
			Allocates: true,
			MaxBytes:  88,
			New:       func() structures.Scheduler[T] { return minheapstd.New[T]() },
		},
		{
			Name: "quadheap", Family: Heaps, Package: root + "quadheap",
			Summary:  "4-ary heap with cached deadlines: Go's runtime, libev",
			Source:   "Johnson 1975; libev; Go CL 13094043",
			Costs:    Costs{logarithmic, logarithmic, logarithmic},
			MaxBytes: 54,
			New:      func() structures.Scheduler[T] { return quadheap.New[T]() },
		},
		{
			Name: "octheap", Family: Heaps, Package: root + "octheap",
			Summary:  "8-ary heap, the deadlines of eight children in a cache line: for timers that move",
			Source:   "LaMarca & Ladner 1996",
			Costs:    Costs{logarithmic, logarithmic, logarithmic},
			MaxBytes: 50,
			New:      func() structures.Scheduler[T] { return octheap.New[T]() },
		},
		{
			Name: "quadheap-lazy", Family: Heaps, Package: root + "quadheaplazy",
			Summary:  "4-ary heap that cancels and moves lazily: Go's runtime since 1.14",
			Source:   "Go 1.14 runtime/time.go",
			Costs:    Costs{logarithmic, constant.amortised(), logarithmic},
			MaxBytes: 84,
			New:      func() structures.Scheduler[T] { return quadheaplazy.New[T]() },
		},
		{
			Name: "pairingheap", Family: Heaps, Package: root + "pairingheap",
			Summary:  "pairing heap: the priority-queue literature",
			Source:   "Fredman, Sedgewick, Sleator & Tarjan 1986",
			Costs:    Costs{constant, logarithmic.amortised(), logarithmic.amortised()},
			MaxBytes: 54,
			New:      func() structures.Scheduler[T] { return pairingheap.New[T]() },
		},
		{
			Name: "radixheap", Family: Heaps, Package: root + "radixheap",
			Summary: "buckets by the highest differing bit: seastar's timer_set",
			Source:  "Ahuja, Mehlhorn, Orlin & Tarjan 1990",
			Costs:   Costs{constant, constant, Cost{Logarithmic, "bits", "a timer"}}, Ties: FIFO,
			MaxBytes: 44,
			New:      func() structures.Scheduler[T] { return radixheap.New[T]() },
		},
		{
			Name: "wheel", Family: Wheels, Package: root + "wheel",
			Summary: "flat wheel, timers wait for their revolution: go-zero, Netty, gocorex/cron",
			Source:  "Varghese & Lauck 1987, scheme 6",
			Costs:   Costs{constant, constant, Cost{Linear, "n/slots", "a tick"}}, Ties: FIFO,
			MaxBytes: 44,
			New:      func() structures.Scheduler[T] { return wheel.New[T]() },
		},
		{
			Name: "hwheel", Family: Wheels, Package: root + "hwheel",
			Summary: "hierarchical, cascading wheel on chunks, emptied in steps: for many timers",
			Source:  "Varghese & Lauck 1987, scheme 7; ratas",
			Costs:   Costs{constant, constant, Cost{Logarithmic, "levels", "a timer"}}, Ties: Unspecified,
			MaxBytes: 43,
			New:      func() structures.Scheduler[T] { return hwheel.New[T]() },
		},
		{
			Name: "auto", Family: Wheels, Package: root + "auto",
			Summary: "the lists of ladder for few timers, the wheel of hwheel for many: the default",
			Source:  "Tang, Goh & Thng 2005; Varghese & Lauck 1987, scheme 7; ratas",
			Costs:   Costs{constant, constant, Cost{Logarithmic, "levels", "a timer"}}, Ties: Unspecified,
			MaxBytes: 43,
			New:      func() structures.Scheduler[T] { return auto.New[T]() },
		},
		{
			Name: "hwheel-list", Family: Wheels, Package: root + "hwheellist",
			Summary: "the same on linked lists, the classical form: Linux before 4.8, Kafka, tokio",
			Source:  "Varghese & Lauck 1987, scheme 7",
			Costs:   Costs{constant, constant, Cost{Logarithmic, "levels", "a timer"}}, Ties: FIFO,
			MaxBytes: 44,
			New:      func() structures.Scheduler[T] { return hwheellist.New[T]() },
		},
		{
			Name: "hwheel-linux", Family: Wheels, Package: root + "hwheellinux",
			Summary: "hierarchical wheel without cascades, coarse: Linux since 4.8",
			Source:  "Gleixner 2016, Linux kernel/time/timer.c",
			Costs:   Costs{constant, constant, constant},
			MaxLate: hwheellinux.MaxLate, Late: "less than 8/63 (12.7 %) of the delay",
			MaxBytes: 46,
			New:      func() structures.Scheduler[T] { return hwheellinux.New[T]() },
		},
		{
			Name: "wheel-fixed", Family: Wheels, Package: root + "wheelfixed",
			Summary: "slots of a fixed capacity without cascades, coarse; a heap where they are full: bitwheel",
			Source:  "bitwheel, a Rust library, 2025",
			Costs:   Costs{whereFull, whereFull, whereFull},
			MaxLate: wheelfixed.MaxLate, Late: "less than 8/63 (12.7 %) of the delay, or 3 ticks",
			MaxBytes: 72,
			New:      func() structures.Scheduler[T] { return wheelfixed.New[T]() },
		},
		{
			Name: "calendar", Family: Wheels, Package: root + "calendar",
			Summary: "calendar queue that resizes itself: simulators",
			Source:  "Brown 1988",
			Costs:   Costs{constant.expected(), constant, constant.expected()}, Ties: FIFO,
			MaxBytes: 50,
			New:      func() structures.Scheduler[T] { return calendar.New[T]() },
		},
		{
			Name: "ladder", Family: Wheels, Package: root + "ladder",
			Summary: "ladder queue with cancel: linked lists, the first one is sorted when it starts",
			Source:  "Tang, Goh & Thng 2005",
			Costs:   Costs{constant, constant, Cost{Logarithmic, "levels", "a timer"}}, Ties: Unspecified,
			MaxBytes: 70,
			New:      func() structures.Scheduler[T] { return ladder.New[T]() },
		},
		{
			Name: "ffsqueue", Family: Wheels, Package: root + "ffsqueue",
			Summary:  "a bucket per tick, found by a bitmap; a heap beyond its span: Eiffel",
			Source:   "Saeed et al. 2019, Eiffel's cFFS",
			Costs:    Costs{beyondSpan, beyondSpan, beyondSpan},
			MaxBytes: 72,
			New:      func() structures.Scheduler[T] { return ffsqueue.New[T]() },
		},
		{
			Name: "soonlater", Family: Wheels, Package: root + "soonlater",
			Summary:  "two wheels, timers move from one to the other in shares: Erlang/OTP",
			Source:   "OTP 21, erts/emulator/beam/time.c",
			Costs:    Costs{constant, constant, constant.amortised()},
			MaxBytes: 72,
			New:      func() structures.Scheduler[T] { return soonlater.New[T]() },
		},
		{
			Name: "bucketheap", Family: Wheels, Package: root + "bucketheap",
			Summary: "a bucket per tick, only where it holds any, in a heap: Kafka's DelayQueue of buckets",
			Source:  "Kafka's purgatory",
			Costs:   Costs{Cost{Growth: LogDistinct}, Cost{Growth: LogDistinct}, Cost{LogDistinct, "", "a bucket"}}, Ties: FIFO,
			MaxBytes: 185,
			New:      func() structures.Scheduler[T] { return bucketheap.New[T]() },
		},
		{
			Name: "buckettree", Family: Wheels, Package: root + "buckettree",
			Summary: "a bucket per tick, only where it holds any, in a red-black tree: hrtimer, as it is described",
			Source:  "literature on Linux hrtimers",
			Costs:   Costs{Cost{Growth: LogDistinct}, constant.amortised(), constant.amortised()}, Ties: FIFO,
			MaxBytes: 175,
			New:      func() structures.Scheduler[T] { return buckettree.New[T]() },
		},
		{
			Name: "rbtree", Family: Trees, Package: root + "rbtree",
			Summary: "red-black tree, cached leftmost: nginx, Linux hrtimer",
			Source:  "Guibas & Sedgewick 1978",
			Costs:   Costs{logarithmic, constant.amortised(), constant.amortised()}, Ties: FIFO,
			MaxBytes: 46,
			New:      func() structures.Scheduler[T] { return rbtree.New[T]() },
		},
		{
			Name: "rbtree-gods", Family: Trees, Package: root + "rbtreegods",
			Summary: "red-black tree off the shelf: emirpasic/gods",
			Source:  "emirpasic/gods v1.18.1",
			Costs:   Costs{logarithmic, logarithmic, logarithmic}, Ties: FIFO,
			Allocates: true, ThirdParty: "github.com/emirpasic/gods",
			MaxBytes: 138,
			New:      func() structures.Scheduler[T] { return rbtreegods.New[T]() },
		},
		{
			Name: "splay", Family: Trees, Package: root + "splay",
			Summary: "splay tree, balanced by its use: event simulators",
			Source:  "Sleator & Tarjan 1985; Jones 1986",
			Costs:   Costs{logarithmic.amortised(), logarithmic.amortised(), logarithmic.amortised()}, Ties: FIFO,
			MaxBytes: 54,
			New:      func() structures.Scheduler[T] { return splay.New[T]() },
		},
		{
			Name: "ebtree", Family: Trees, Package: root + "ebtree",
			Summary: "elastic binary tree, a radix tree of timers that are node and leaf: HAProxy",
			Source:  "Tarreau 2002, HAProxy's ebtree",
			Costs:   Costs{logarithmic.expected(), constant.expected(), constant.expected()}, Ties: FIFO,
			MaxBytes: 72,
			New:      func() structures.Scheduler[T] { return ebtree.New[T]() },
		},
		{
			Name: "btree", Family: Trees, Package: root + "btree",
			Summary: "B+-tree, wide nodes with few cache lines to search: databases",
			Source:  "Bayer & McCreight 1972; Rao & Ross 2000",
			Costs:   Costs{logarithmic, constant.amortised(), constant.amortised()}, Ties: FIFO,
			MaxBytes: 80,
			New:      func() structures.Scheduler[T] { return btree.New[T]() },
		},
		{
			Name: "btree-google", Family: Trees, Package: root + "btreegoogle",
			Summary: "B-tree off the shelf: google/btree",
			Source:  "google/btree v1.1.3",
			Costs:   Costs{logarithmic, logarithmic, logarithmic}, Ties: FIFO,
			Allocates: true, ThirdParty: "github.com/google/btree",
			MaxBytes: 112,
			New:      func() structures.Scheduler[T] { return btreegoogle.New[T]() },
		},
		{
			Name: "lawn", Family: Lists, Package: root + "lawn",
			Summary:  "a list per delay, the first of each in a heap: Node.js, libevent",
			Source:   "Lev-Libfeld 2019, arXiv 1906.10860",
			Costs:    Costs{logDistinct, logDistinct, logDistinct},
			MaxBytes: 74,
			New:      func() structures.Scheduler[T] { return lawn.New[T]() },
		},
		{
			Name: "skiplist", Family: Lists, Package: root + "skiplist",
			Summary: "skip list: DPDK rte_timer",
			Source:  "Pugh 1990",
			Costs:   Costs{logarithmic.expected(), constant.expected(), constant.expected()}, Ties: FIFO,
			MaxBytes: 84,
			New:      func() structures.Scheduler[T] { return skiplist.New[T]() },
		},
		{
			Name: "skiplist-huandu", Family: Lists, Package: root + "skiplisthuandu",
			Summary: "skip list off the shelf: huandu/skiplist",
			Source:  "huandu/skiplist v1.2.1",
			Costs:   Costs{logarithmic.expected(), logarithmic.expected(), constant}, Ties: FIFO,
			Allocates: true, ThirdParty: "github.com/huandu/skiplist",
			MaxBytes: 208,
			New:      func() structures.Scheduler[T] { return skiplisthuandu.New[T]() },
		},
	}
}
