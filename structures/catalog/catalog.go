package catalog

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/structures/minheap"
	"github.com/timerbench/timerbench/structures/quadheap"
	"github.com/timerbench/timerbench/structures/rbtree"
	"github.com/timerbench/timerbench/structures/skiplist"
	"github.com/timerbench/timerbench/structures/wheel"
)

// root is where the structures live.
const root = "github.com/timerbench/timerbench/structures/"

// All returns every structure, in the order in which tables and charts show
// them: by family, the best known first.
func All() []Entry {
	return []Entry{
		{
			Name: "minheap", Family: Heaps, Package: root + "minheap",
			Summary: "binary heap: Java's DelayQueue, libuv, gocorex/cron",
			Source:  "Williams 1964, Algorithm 232",
			Costs:   Costs{"O(log n)", "O(log n)", "O(log n)"},
			New:     func() structures.Scheduler[uint64] { return minheap.New[uint64]() },
		},
		{
			Name: "quadheap", Family: Heaps, Package: root + "quadheap",
			Summary: "4-ary heap with cached deadlines: Go's runtime, libev",
			Source:  "Johnson 1975; libev; Go CL 13094043",
			Costs:   Costs{"O(log n)", "O(log n)", "O(log n)"},
			New:     func() structures.Scheduler[uint64] { return quadheap.New[uint64]() },
		},
		{
			Name: "wheel", Family: Wheels, Package: root + "wheel",
			Summary: "flat wheel, timers wait for their revolution: go-zero, Netty, gocorex/cron",
			Source:  "Varghese & Lauck 1987, scheme 6",
			Costs:   Costs{"O(1)", "O(1)", "O(n/slots) a tick"}, Ties: FIFO,
			New: func() structures.Scheduler[uint64] { return wheel.New[uint64]() },
		},
		{
			Name: "hwheel", Family: Wheels, Package: root + "hwheel",
			Summary: "hierarchical, cascading wheel: Linux before 4.8, Kafka, tokio",
			Source:  "Varghese & Lauck 1987, scheme 7",
			Costs:   Costs{"O(1)", "O(1)", "O(levels) a timer"}, Ties: FIFO,
			New: func() structures.Scheduler[uint64] { return hwheel.New[uint64]() },
		},
		{
			Name: "rbtree", Family: Trees, Package: root + "rbtree",
			Summary: "red-black tree, cached leftmost: nginx, Linux hrtimer",
			Source:  "Guibas & Sedgewick 1978",
			Costs:   Costs{"O(log n)", "O(1) amortised", "O(1) amortised"}, Ties: FIFO,
			New: func() structures.Scheduler[uint64] { return rbtree.New[uint64]() },
		},
		{
			Name: "skiplist", Family: Lists, Package: root + "skiplist",
			Summary: "skip list, p = 1/4: DPDK rte_timer",
			Source:  "Pugh 1990",
			Costs:   Costs{"O(log n) expected", "O(1) expected", "O(1) expected"}, Ties: FIFO,
			New: func() structures.Scheduler[uint64] { return skiplist.New[uint64]() },
		},
	}
}
