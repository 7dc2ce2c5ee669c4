package costs_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/internal/costs"
)

const (
	doc        = "../../../docs/costs.md"
	tableBegin = "<!-- tables: written by go test ./structures/internal/costs -update -->\n"
	tableEnd   = "<!-- end of tables -->\n"
)

// table is what all structures have cost, and the tables of the document.
type table struct {
	mu     sync.Mutex
	counts map[string][]costs.Count // by the structure's name
}

func newTable() *table { return &table{counts: make(map[string][]costs.Count)} }

func (t *table) add(name string, counts []costs.Count) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[name] = counts
}

// markdown returns a table for each pattern, with a row for each structure and a column
// for each number of timers and set of operations.
func (t *table) markdown() string {
	var b strings.Builder
	patterns := byPattern(t.counts[catalog.All()[0].Name])
	for i, group := range patterns {
		pattern := group[0].Pattern
		if i > 0 && patterns[i-1][0].Pattern == pattern {
			continue
		}
		var ops []costs.Ops
		for _, g := range patterns {
			if g[0].Pattern == pattern {
				ops = append(ops, g[0].Ops)
			}
		}
		fmt.Fprintf(&b, "\n## %s\n\n| structure |", upper(pattern))
		for _, o := range ops {
			fmt.Fprintf(&b, " %v: 10³ | 10⁴ | 10⁵ |", o)
		}
		fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("--:|", len(sizes)*len(ops)))
		for _, e := range catalog.All() {
			fmt.Fprintf(&b, "| `%s` |", e.Name)
			for _, o := range ops {
				for _, n := range sizes {
					fmt.Fprintf(&b, " %s |", t.figure(e.Name, pattern, o, n))
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String() + "\n"
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// figure returns what a turn cost, or a dash where that was not counted.
func (t *table) figure(name, pattern string, ops costs.Ops, n int) string {
	for _, c := range t.counts[name] {
		if c.Pattern == pattern && c.Ops == ops && c.N == n {
			return strconv.FormatFloat(c.PerTurn(), 'f', 0, 64)
		}
	}
	return "–"
}

// compare holds the document against the counts. A figure may be off by a quarter, or two
// blocks, so that it need not be written anew for each change of the code.
func (t *table) compare(tt *testing.T) {
	tt.Helper()
	text, err := os.ReadFile(doc)
	if err != nil {
		tt.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tableBegin)
	old, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		tt.Fatalf("%s has no tables between %q and %q", doc, tableBegin, tableEnd)
	}
	now := t.markdown()
	if *update {
		if testing.Short() {
			tt.Fatal("-update needs all numbers of timers: run it without -short")
		}
		if err := os.WriteFile(doc, []byte(before+tableBegin+now+tableEnd+after), 0o644); err != nil {
			tt.Fatal(err)
		}
		return
	}
	const hint = "run go test ./structures/internal/costs -update, and see what has changed"
	was, is := strings.Split(old, "\n"), strings.Split(now, "\n")
	if len(was) != len(is) {
		tt.Fatalf("%s has %d lines of tables, want %d: %s", doc, len(was), len(is), hint)
	}
	section := ""
	for i := range is {
		if strings.HasPrefix(is[i], "#") {
			section = is[i]
		}
		if !alike(was[i], is[i]) {
			tt.Errorf("%s, %s: it says\n%s\nand now it is\n%s\n%s", doc, section, was[i], is[i], hint)
		}
	}
}

// alike reports whether two lines agree, where figures may be off a little. A figure that
// has not been counted now agrees with any.
func alike(was, is string) bool {
	w, i := strings.Split(was, "|"), strings.Split(is, "|")
	if len(w) != len(i) {
		return false
	}
	for c := range w {
		a, err1 := strconv.ParseFloat(strings.TrimSpace(w[c]), 64)
		b, err2 := strconv.ParseFloat(strings.TrimSpace(i[c]), 64)
		switch {
		case err1 == nil && err2 == nil:
			if math.Abs(a-b) > max(a, b)/4+2 {
				return false
			}
		case strings.TrimSpace(i[c]) == "–" && (testing.Short() || w[c] == i[c]):
		case w[c] != i[c]:
			return false
		}
	}
	return true
}
