package doctest

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// users maps the projects that summaries name to the file that shows how each keeps its timers, at a revision.
var users = map[string]string{
	".NET":                      "https://github.com/dotnet/runtime/blob/4c622d909d617b14b98990901cfe8c89cbbc82f4/src/libraries/System.Private.CoreLib/src/System/Threading/Timer.cs",
	"DPDK rte_timer":            "https://github.com/DPDK/dpdk/blob/30a1de105a5f40d77b344a891c4a68f79e815c43/lib/timer/rte_timer.c",
	"Eiffel":                    "https://www.usenix.org/conference/nsdi19/presentation/saeed",
	"Erlang/OTP":                "https://github.com/erlang/otp/blob/7c67bbddb53c364086f66260701bc54a61c9659c/erts/emulator/beam/time.c",
	"FreeRTOS":                  "https://github.com/FreeRTOS/FreeRTOS-Kernel/blob/c1b4c1ab75a148a0b949bf4ffc3133d003f78a9c/timers.c",
	"Go's container/heap":       "https://github.com/golang/go/blob/go1.26.0/src/container/heap/heap.go",
	"Go's runtime since 1.14":   "https://github.com/golang/go/blob/release-branch.go1.14/src/runtime/time.go",
	"HAProxy":                   "https://github.com/haproxy/haproxy/blob/018251667e4c95478ce0026f4d700e0420f8ce24/src/task.c",
	"JDK 25":                    "https://github.com/openjdk/jdk/blob/56f1ee4c5cf3a66ad4255c3666330315fc2f9354/src/java.base/share/classes/java/util/concurrent/DelayScheduler.java",
	"Java's DelayQueue":         "https://github.com/openjdk/jdk/blob/7e4ba760678ddd5ea869b363af67ad393e253684/src/java.base/share/classes/java/util/concurrent/DelayQueue.java",
	"Kafka":                     "https://github.com/apache/kafka/blob/5977d1fc3ad1761c0bef6cecc0e5ea8284c3481a/server-common/src/main/java/org/apache/kafka/server/util/timer/TimingWheel.java",
	"Kafka's DelayQueue":        "https://github.com/apache/kafka/blob/d7f0d39ba7ba308dcf408df2e66a0eab100c6aef/server-common/src/main/java/org/apache/kafka/server/util/timer/SystemTimer.java",
	"Linux before 4.8":          "https://github.com/torvalds/linux/blob/v4.7/kernel/time/timer.c",
	"Linux hrtimer":             "https://github.com/torvalds/linux/blob/v6.12/kernel/time/hrtimer.c",
	"Linux since 4.8":           "https://github.com/torvalds/linux/blob/v6.12/kernel/time/timer.c",
	"Netty":                     "https://github.com/netty/netty/blob/06cabb70de3f18bfcf6760a23de9256f58bb6aea/common/src/main/java/io/netty/util/HashedWheelTimer.java",
	"Node.js":                   "https://github.com/nodejs/node/blob/2bf1e7fea7a4307dffd14fb726c24651fcd46051/lib/internal/timers.js",
	"Python's schedule":         "https://github.com/dbader/schedule/blob/252d451ea4355ae72e9e5e7b55c8cdb5d7f2545a/schedule/__init__.py",
	"Segcache":                  "https://github.com/twitter/pelikan/blob/05dc7c894324ba7201b8934fceac4b0302f7566f/src/storage/seg/src/ttl_buckets/ttl_buckets.rs",
	"Zephyr by default":         "https://github.com/zephyrproject-rtos/zephyr/blob/b3d805b40d3d4e2a6d0364aaab9ef87fbc68f7d3/kernel/timeout.c",
	"bitwheel":                  "https://docs.rs/crate/bitwheel/0.4.0/source/README",
	"emirpasic/gods":            "https://github.com/emirpasic/gods/tree/v1.18.1/trees/redblacktree",
	"go-cache":                  "https://github.com/patrickmn/go-cache/blob/v2.1.0/cache.go",
	"go-zero":                   "https://github.com/zeromicro/go-zero/blob/v1.10.3/core/collection/timingwheel.go",
	"google/btree":              "https://github.com/google/btree/blob/v1.1.3/btree_generic.go",
	"huandu/skiplist":           "https://github.com/huandu/skiplist/blob/v1.2.1/skiplist.go",
	"libev":                     "https://dist.schmorp.de/libev/Attic/libev-4.33.tar.gz",
	"libevent":                  "https://github.com/libevent/libevent/blob/8e1b7b22d621207beb9906e1e2faafda928c4da6/minheap-internal.h",
	"libevent on request":       "https://github.com/libevent/libevent/blob/release-2.1.12-stable/event.c",
	"libxev":                    "https://github.com/mitchellh/libxev/blob/a82a04eabb46b0611c72d6d0e32db2d9dcf2e745/src/heap.zig",
	"libuv":                     "https://github.com/libuv/libuv/blob/v1.44.2/src/timer.c",
	"network simulators (ns-3)": "https://github.com/nsnam/ns-3-dev-git/blob/6ef966c4cff65615f7ff43fd6c856b6a9374ecdf/src/core/model/calendar-scheduler.cc",
	"nginx":                     "https://github.com/nginx/nginx/blob/05f5a7325d939ade37daf1e2d4b34f4e83d49aff/src/event/ngx_event_timer.c",
	"ratas":                     "https://github.com/jsnell/ratas/blob/396a5ae84edacb0bcdf5d29f9979ceaad9f6c6a9/src/timer-wheel.h",
	"seastar's timer_set":       "https://github.com/scylladb/seastar/blob/4dadb9c124403e61a07a229761d4ac54db74c878/include/seastar/core/timer-set.hh",
	"tokio":                     "https://github.com/tokio-rs/tokio/blob/4efe517d3e911f3e6e3682b5794cdc18052d53c3/tokio/src/runtime/time/wheel/mod.rs",
}

// withLinks returns a summary in Markdown, with a link from each project to its source.
func withLinks(summary string) string {
	names := slices.SortedFunc(maps.Keys(users), func(a, b string) int { // the longest first: libevent, then libev
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	var links []string
	for _, name := range names {
		links = append(links, name, "["+name+"]("+users[name]+")")
	}
	what, who, _ := strings.Cut(summary, ": ") // the part after the colon names the users
	if who == "" {
		return summary
	}
	return what + ": " + strings.NewReplacer(links...).Replace(who)
}
