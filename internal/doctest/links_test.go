package doctest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
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
		named := regexp.MustCompile(`(^|[^\w/.-])` + regexp.QuoteMeta(word) + `($|[^\w/-])`).MatchString(text)
		if named && !strings.Contains(addresses, part) {
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

// The summary of a structure, and so the table of the README, links each project to a file at a revision, as users_test.go
// has it. So does a package comment.
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
