package doctest

import (
	"cmp"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures/catalog"
)

// projects maps words that name another project to a part of the address of its source.
var projects = map[string]string{
	".NET": "dotnet/runtime", "Agrona": "agrona", "Asio": "boostorg/asio", "bitwheel": "bitwheel", "DPDK": "DPDK/dpdk",
	"Eiffel": "nsdi19", "Erlang": "erlang/otp", "FreeRTOS": "FreeRTOS", "GLib": "GNOME/glib", "Go's runtime": "src/runtime/time.go",
	"go-zero": "zeromicro/go-zero", "gocron": "go-co-op/gocron", "gods": "emirpasic/gods", "google/btree": "google/btree", "HAProxy": "haproxy/haproxy",
	"hrtimer": "torvalds", "huandu": "huandu/skiplist", "Java's": "openjdk/jdk", "JDK": "openjdk/jdk", "Kafka": "apache/kafka", "libev": "libev", "libevent": "libevent/libevent",
	"libuv": "libuv/libuv", "libxev": "mitchellh/libxev", "Linux": "torvalds", "nats-server": "nats-server", "Netty": "netty/netty", "nginx": "nginx/nginx", "Node.js": "nodejs/node",
	"ns-2": "ns-2", "ns-3": "ns-3", "ratas": "jsnell/ratas", "robfig": "robfig/cron", "seastar": "seastar", "tokio": "tokio-rs/tokio", "Zephyr": "zephyr",
}

var (
	// An address has a revision if it has a commit, a tag or a version, or names one thread.
	cut      = regexp.MustCompile(`/(blob|tree|commit|c)/([0-9a-f]{13,39}|[0-9a-f]{41,})(/|$)`) // neither an abbreviation nor whole
	revision = regexp.MustCompile(`/(blob|tree|c)/([0-9a-f]{7,40}|[\w.-]*\d[\w.+%-]*)(/|$)|[-/@]v?\d+\.\d+|/(issues|pull)/\d+$`)
	dated    = regexp.MustCompile(`\b(19|20)\d\d\b|\bv?\d+\.\d+\.\d+\b|\b[0-9a-f]{7,40}\b`)
	address  = regexp.MustCompile(`https?://[^\s)|<>]*[^\s)|<>.,;]`)
	module   = regexp.MustCompile(`github\.com/[\w.-]+/[\w.-]+\s+v\d[\w.]*`) // in text, as in a go.mod
	code     = regexp.MustCompile("(?s)```.*?```|`[^`]*`|<!-- (field|ratios): .*?<!-- end of (field|ratios)[^>]*-->")
)

// unlinked returns the projects that a text names without an address of their source.
func unlinked(text string) (words []string) {
	addresses := strings.Join(append(address.FindAllString(text, -1), module.FindAllString(text, -1)...), "\n")
	text = address.ReplaceAllString(module.ReplaceAllString(text, ""), "")
	for word, part := range projects {
		if strings.Contains(text, word) && !strings.Contains(addresses, part) &&
			regexp.MustCompile(`(^|[^\w/.-])`+regexp.QuoteMeta(word)+`($|[^\w/-])`).MatchString(text) {
			words = append(words, word)
		}
	}
	return words
}

// linked checks that a text has a link to a file at a revision for each project that it names, and counts its links.
func linked(t *testing.T, where, text string) (links int) {
	if words := unlinked(text); words != nil {
		t.Errorf("%s names %q without a link: %s", where, words, text)
	}
	for _, a := range address.FindAllString(text, -1) {
		if links++; cut.MatchString(a) || !revision.MatchString(a) && !strings.Contains(a, "usenix.org") {
			t.Errorf("%s: no revision in %s", where, a)
		}
	}
	return links
}

// The summary of a structure, and so the table of the README, links each project to a file at a revision.
// So does a package comment.
func TestSummariesAndPackagesLinkTheProjectsThatTheyName(t *testing.T) {
	summaries, comments := 0, 0
	for _, e := range append(catalog.All(), catalog.Intrusive()...) {
		summaries += linked(t, e.Name, withLinks(e.Summary))
	}
	for _, root := range []string{"structures", "driver"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.PackageClauseOnly)
			if err == nil && f.Doc != nil {
				comments += linked(t, path, f.Doc.Text())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if summaries < 30 || comments < 40 {
		t.Errorf("%d and %d links, want at least 30 and 40", summaries, comments)
	}
}

// The first section that names another project links to its source, and each link has a revision, or a date in its
// paragraph, item or row. Rows about published claims have both.
func TestPagesLinkTheProjectsThatTheyName(t *testing.T) {
	for _, page := range []string{"docs/peers.md", "docs/field.md", publishedPage, questionsPage} {
		text := code.ReplaceAllString(read(t, page), "")
		before := ""
		for section := range strings.SplitSeq(text, "\n#") {
			title, _, _ := strings.Cut(strings.TrimLeft(section, "# "), "\n")
			before += section
			if words := unlinked(before); words != nil {
				t.Errorf("%s, %q names %q without a link", page, title, words)
			}
			for _, unit := range regexp.MustCompile(`\n(\s*\n|- |\| )`).Split(section, -1) {
				addresses := address.FindAllString(unit, -1)
				row := page == publishedPage && strings.Contains(unit, " | ") && !strings.Contains(unit, "|---")
				if row && (addresses == nil || !dated.MatchString(unit)) {
					t.Errorf("%s, %q: a row without a link or a date: %s", page, title, unit)
				}
				for _, a := range addresses {
					if cut.MatchString(a) || !revision.MatchString(a) && !dated.MatchString(unit) {
						t.Errorf("%s, %q: neither a revision nor a date with %s", page, title, a)
					}
				}
			}
		}
	}
}

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
