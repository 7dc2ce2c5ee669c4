package catalog

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/btree"
	"github.com/timerbench/timerbench/structures/btreegoogle"
	"github.com/timerbench/timerbench/structures/bucketheap"
	"github.com/timerbench/timerbench/structures/buckettree"
	"github.com/timerbench/timerbench/structures/calendar"
	"github.com/timerbench/timerbench/structures/ebtree"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/structures/hwheellinux"
	"github.com/timerbench/timerbench/structures/hwheellist"
	"github.com/timerbench/timerbench/structures/list"
	"github.com/timerbench/timerbench/structures/minheap"
	"github.com/timerbench/timerbench/structures/minheapstd"
	"github.com/timerbench/timerbench/structures/pairingheap"
	"github.com/timerbench/timerbench/structures/quadheap"
	"github.com/timerbench/timerbench/structures/quadheaplazy"
	"github.com/timerbench/timerbench/structures/radixheap"
	"github.com/timerbench/timerbench/structures/rbtree"
	"github.com/timerbench/timerbench/structures/rbtreegods"
	"github.com/timerbench/timerbench/structures/skiplist"
	"github.com/timerbench/timerbench/structures/skiplisthuandu"
	"github.com/timerbench/timerbench/structures/wheel"
)

// root is where the structures live.
const root = "github.com/timerbench/timerbench/structures/"

// All returns every structure, in the order in which tables and charts show
// them: by family, the simplest first.
func All() []Entry { return For[uint64]() }

// For is All for structures with values of another type.
func For[T any]() []EntryFor[T] {
	return []EntryFor[T]{
		{
			Name: "list", Family: Lists, Package: root + "list",
			Summary:  "unsorted slice, scanned for its minimum: Python's schedule",
			Source:   "dbader/schedule",
			Costs:    Costs{"O(1)", "O(1)", "O(n)"},
			Limit:    10_000,
			MaxBytes: 46,
			New:      func() structures.Scheduler[T] { return list.New[T]() },
		},
		{
			Name: "minheap", Family: Heaps, Package: root + "minheap",
			Summary:  "binary heap: Java's DelayQueue, libuv, gocorex/cron",
			Source:   "Williams 1964, Algorithm 232",
			Costs:    Costs{"O(log n)", "O(log n)", "O(log n)"},
			MaxBytes: 46,
			New:      func() structures.Scheduler[T] { return minheap.New[T]() },
		},
		{
			Name: "minheap-std", Family: Heaps, Package: root + "minheapstd",
			Summary:   "container/heap with positions: what most Go code does",
			Source:    "Go's container/heap",
			Costs:     Costs{"O(log n)", "O(log n)", "O(log n)"},
			Allocates: true,
			MaxBytes:  88,
			New:       func() structures.Scheduler[T] { return minheapstd.New[T]() },
		},
		{
			Name: "quadheap", Family: Heaps, Package: root + "quadheap",
			Summary:  "4-ary heap with cached deadlines: Go's runtime, libev",
			Source:   "Johnson 1975; libev; Go CL 13094043",
			Costs:    Costs{"O(log n)", "O(log n)", "O(log n)"},
			MaxBytes: 54,
			New:      func() structures.Scheduler[T] { return quadheap.New[T]() },
		},
		{
			Name: "quadheap-lazy", Family: Heaps, Package: root + "quadheaplazy",
			Summary:  "4-ary heap that cancels and moves lazily: Go's runtime since 1.14",
			Source:   "Go 1.14 runtime/time.go",
			Costs:    Costs{"O(log n)", "O(1) amortised", "O(log n)"},
			MaxBytes: 84,
			New:      func() structures.Scheduler[T] { return quadheaplazy.New[T]() },
		},
		{
			Name: "pairingheap", Family: Heaps, Package: root + "pairingheap",
			Summary:  "pairing heap: the priority-queue literature",
			Source:   "Fredman, Sedgewick, Sleator & Tarjan 1986",
			Costs:    Costs{"O(1)", "O(log n) amortised", "O(log n) amortised"},
			MaxBytes: 54,
			New:      func() structures.Scheduler[T] { return pairingheap.New[T]() },
		},
		{
			Name: "radixheap", Family: Heaps, Package: root + "radixheap",
			Summary: "buckets by the highest differing bit: seastar's timer_set",
			Source:  "Ahuja, Mehlhorn, Orlin & Tarjan 1990",
			Costs:   Costs{"O(1)", "O(1)", "O(bits) a timer"}, Ties: FIFO,
			MaxBytes: 44,
			New:      func() structures.Scheduler[T] { return radixheap.New[T]() },
		},
		{
			Name: "wheel", Family: Wheels, Package: root + "wheel",
			Summary: "flat wheel, timers wait for their revolution: go-zero, Netty, gocorex/cron",
			Source:  "Varghese & Lauck 1987, scheme 6",
			Costs:   Costs{"O(1)", "O(1)", "O(n/slots) a tick"}, Ties: FIFO,
			MaxBytes: 44,
			New:      func() structures.Scheduler[T] { return wheel.New[T]() },
		},
		{
			Name: "hwheel", Family: Wheels, Package: root + "hwheel",
			Summary: "hierarchical, cascading wheel on arrays, swept: for many timers",
			Source:  "Varghese & Lauck 1987, scheme 7",
			Costs:   Costs{"O(1)", "O(1) amortised", "O(levels) a timer"}, Ties: Unspecified,
			MaxBytes: 41,
			New:      func() structures.Scheduler[T] { return hwheel.New[T]() },
		},
		{
			Name: "hwheel-list", Family: Wheels, Package: root + "hwheellist",
			Summary: "the same on linked lists, the classical form: Linux before 4.8, Kafka, tokio",
			Source:  "Varghese & Lauck 1987, scheme 7",
			Costs:   Costs{"O(1)", "O(1)", "O(levels) a timer"}, Ties: FIFO,
			MaxBytes: 44,
			New:      func() structures.Scheduler[T] { return hwheellist.New[T]() },
		},
		{
			Name: "hwheel-linux", Family: Wheels, Package: root + "hwheellinux",
			Summary: "hierarchical wheel without cascades, coarse: Linux since 4.8",
			Source:  "Gleixner 2016, Linux kernel/time/timer.c",
			Costs:   Costs{"O(1)", "O(1)", "O(1)"},
			MaxLate: hwheellinux.MaxLate, Late: "less than 8/63 (12.7 %) of the delay",
			MaxBytes: 46,
			New:      func() structures.Scheduler[T] { return hwheellinux.New[T]() },
		},
		{
			Name: "calendar", Family: Wheels, Package: root + "calendar",
			Summary: "calendar queue that resizes itself: simulators",
			Source:  "Brown 1988",
			Costs:   Costs{"O(1) expected", "O(1)", "O(1) expected"}, Ties: FIFO,
			MaxBytes: 50,
			New:      func() structures.Scheduler[T] { return calendar.New[T]() },
		},
		{
			Name: "bucketheap", Family: Wheels, Package: root + "bucketheap",
			Summary: "a bucket per tick, only where it holds any, in a heap: Kafka's DelayQueue of buckets",
			Source:  "Kafka's purgatory",
			Costs:   Costs{"O(1) or O(log n)", "O(1) or O(log n)", "O(log n) a bucket"}, Ties: FIFO,
			MaxBytes: 185,
			New:      func() structures.Scheduler[T] { return bucketheap.New[T]() },
		},
		{
			Name: "buckettree", Family: Wheels, Package: root + "buckettree",
			Summary: "a bucket per tick, only where it holds any, in a red-black tree: hrtimer, as it is described",
			Source:  "literature on Linux hrtimers",
			Costs:   Costs{"O(1) or O(log n)", "O(1) amortised", "O(1) amortised"}, Ties: FIFO,
			MaxBytes: 175,
			New:      func() structures.Scheduler[T] { return buckettree.New[T]() },
		},
		{
			Name: "rbtree", Family: Trees, Package: root + "rbtree",
			Summary: "red-black tree, cached leftmost: nginx, Linux hrtimer",
			Source:  "Guibas & Sedgewick 1978",
			Costs:   Costs{"O(log n)", "O(1) amortised", "O(1) amortised"}, Ties: FIFO,
			MaxBytes: 46,
			New:      func() structures.Scheduler[T] { return rbtree.New[T]() },
		},
		{
			Name: "rbtree-gods", Family: Trees, Package: root + "rbtreegods",
			Summary: "red-black tree off the shelf: emirpasic/gods",
			Source:  "emirpasic/gods v1.18.1",
			Costs:   Costs{"O(log n)", "O(log n)", "O(log n)"}, Ties: FIFO,
			Allocates: true, ThirdParty: "github.com/emirpasic/gods",
			MaxBytes: 138,
			New:      func() structures.Scheduler[T] { return rbtreegods.New[T]() },
		},
		{
			Name: "ebtree", Family: Trees, Package: root + "ebtree",
			Summary: "elastic binary tree, a radix tree of timers that are node and leaf: HAProxy",
			Source:  "Tarreau 2002, HAProxy's ebtree",
			Costs:   Costs{"O(log n) expected", "O(1) expected", "O(1) expected"}, Ties: FIFO,
			MaxBytes: 72,
			New:      func() structures.Scheduler[T] { return ebtree.New[T]() },
		},
		{
			Name: "btree", Family: Trees, Package: root + "btree",
			Summary: "B+-tree, wide nodes with few cache lines to search: databases",
			Source:  "Bayer & McCreight 1972; Rao & Ross 2000",
			Costs:   Costs{"O(log n)", "O(1) amortised", "O(1) amortised"}, Ties: FIFO,
			MaxBytes: 80,
			New:      func() structures.Scheduler[T] { return btree.New[T]() },
		},
		{
			Name: "btree-google", Family: Trees, Package: root + "btreegoogle",
			Summary: "B-tree off the shelf: google/btree",
			Source:  "google/btree v1.1.3",
			Costs:   Costs{"O(log n)", "O(log n)", "O(log n)"}, Ties: FIFO,
			Allocates: true, ThirdParty: "github.com/google/btree",
			MaxBytes: 112,
			New:      func() structures.Scheduler[T] { return btreegoogle.New[T]() },
		},
		{
			Name: "skiplist", Family: Lists, Package: root + "skiplist",
			Summary: "skip list: DPDK rte_timer",
			Source:  "Pugh 1990",
			Costs:   Costs{"O(log n) expected", "O(1) expected", "O(1) expected"}, Ties: FIFO,
			MaxBytes: 84,
			New:      func() structures.Scheduler[T] { return skiplist.New[T]() },
		},
		{
			Name: "skiplist-huandu", Family: Lists, Package: root + "skiplisthuandu",
			Summary: "skip list off the shelf: huandu/skiplist",
			Source:  "huandu/skiplist v1.2.1",
			Costs:   Costs{"O(log n) expected", "O(log n) expected", "O(1)"}, Ties: FIFO,
			Allocates: true, ThirdParty: "github.com/huandu/skiplist",
			MaxBytes: 208,
			New:      func() structures.Scheduler[T] { return skiplisthuandu.New[T]() },
		},
	}
}
