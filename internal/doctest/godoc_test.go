package doctest

import (
	"os/exec"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

// printed keeps what godoc has returned, by package.
var printed sync.Map

// godoc returns the declarations of a package as go doc prints them: first lines, each with all that follows.
func godoc(t *testing.T, pkg string) (declarations map[string]string) {
	t.Helper()
	if known, ok := printed.Load(pkg); ok {
		return known.(map[string]string)
	}
	text, err := exec.Command("go", "doc", "-all", pkg).CombinedOutput()
	if err != nil {
		t.Fatalf("go doc -all %s: %v\n%s", pkg, err, text)
	}
	declarations = make(map[string]string)
	last := ""
	for line := range strings.Lines(string(text)) {
		if declares.MatchString(line) {
			last = strings.TrimSpace(line)
		} else if last != "" {
			declarations[last] += strings.TrimSpace(line) + " "
		}
	}
	printed.Store(pkg, declarations)
	return declarations
}

var (
	declares = regexp.MustCompile(`^(func|type|var|const) `)
	makes    = regexp.MustCompile(`^func New\[T any\]\((opts \.\.\.Option)?\) \*(\w+)\[T\]$`)
	aMethod  = regexp.MustCompile(`^func \(\w+ \*(\w+)(?:\[T\])?\) (.*)$`)
	aCost    = regexp.MustCompile(`O\((?:[^()]|\([^()]*\))*\)`)
)

// The page of a structure lists its methods, with the costs and the order of its entry in the catalog.
func TestGoDocShowsTheMethodsOfEachStructure(t *testing.T) {
	for _, e := range append(catalog.All(), catalog.Intrusive()...) {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			shows := godoc(t, e.Package)
			name, methods := "", make(map[string]string)
			for d := range shows {
				if m := makes.FindStringSubmatch(d); m != nil && (m[1] == "") == e.Intrusive() {
					name = m[2]
				}
			}
			for d, doc := range shows {
				if m := aMethod.FindStringSubmatch(d); m != nil && m[1] == name {
					methods[strings.Replace(m[2], "(due ", "(t ", 1)] = doc
				}
			}
			if option := shows["type Option struct {"]; !e.Intrusive() && !strings.HasPrefix(option, "// Has unexported fields. } Option sets ") {
				t.Errorf("Option is not opaque: %q", option)
			}
			timer, result, id := "deadline structures.Tick, value T) structures.ID", "(t structures.Timer[T], ok bool)", "id structures.ID"
			if e.Intrusive() {
				timer, result, id = "t *Timer[T], deadline structures.Tick)", "*Timer[T]", "t *Timer[T]"
			}
			pop := "Pop(now structures.Tick) " + result
			for signature, costs := range map[string]string{
				"Schedule(" + timer: e.Costs.Schedule, "Cancel(" + id + ") bool": e.Costs.Cancel, pop: e.Costs.Pop,
				"Reschedule(" + id + ", deadline structures.Tick) bool": "", "Next() (at structures.Tick, ok bool)": "", "Len() int": "",
			} {
				doc := methods[signature]
				if !aCost.MatchString(doc) && !strings.Contains(doc, "costs as much as ") {
					t.Errorf("%s of %s: %q: want a cost", signature, name, doc)
				}
				for _, cost := range aCost.FindAllString(costs, -1) {
					if !strings.Contains(doc, cost) {
						t.Errorf("%s of %s: %q: want the cost %s", signature, name, doc, cost)
					}
				}
			}
			if fifo := strings.Contains(methods[pop], "FIFO"); fifo != (e.Ties == entry.FIFO) || fifo == strings.Contains(methods[pop], "unspecified") {
				t.Errorf("%s of %s: %q: want the order of ties: %v", pop, name, methods[pop], e.Ties)
			}
		})
	}
}

// No page of the library names a type that callers cannot see.
func TestGoDocShowsNoInternalType(t *testing.T) {
	const format = `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`
	list, err := exec.Command("go", "list", "-f", format, "./structures/...", "./driver/...", "./trace/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for line := range strings.Lines(string(list)) {
		pkg, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.Contains(pkg, "/internal/") {
			continue
		}
		pages++
		for d := range godoc(t, pkg) {
			for imported := range strings.FieldsSeq(imports) {
				if strings.Contains(imported, "/internal/") && regexp.MustCompile(`\W`+path.Base(imported)+`\.[A-Z]`).MatchString(d) {
					t.Errorf("%s shows a type of %s: %s", pkg, imported, d)
				}
			}
		}
	}
	if pages < len(catalog.All()) {
		t.Errorf("only %d packages", pages)
	}
}
