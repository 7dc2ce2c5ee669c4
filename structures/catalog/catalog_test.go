package catalog

import (
	"cmp"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
)

// empty names the fields that every entry fills in and this one does not.
func empty(e entry.Entry) (out []string) {
	for _, name := range []string{"Name", "Summary", "Family", "Package", "Source", "New"} {
		if reflect.ValueOf(e).FieldByName(name).IsZero() {
			out = append(out, name)
		}
	}
	for _, name := range []string{"Schedule", "Cancel", "Pop"} {
		if reflect.ValueOf(e.Costs).FieldByName(name).IsZero() {
			out = append(out, "Costs."+name)
		}
	}
	return out
}

func TestWhatAnEntryLacksIsNamed(t *testing.T) {
	e, _ := Find("list")
	e.Source, e.Costs.Pop = "", ""
	if got := strings.Join(empty(e), ", "); got != "Source, Costs.Pop" {
		t.Errorf("%q is said to be empty, want Source and Costs.Pop", got)
	}
}

func TestEveryEntryIsComplete(t *testing.T) {
	names := map[string]bool{}
	for _, e := range append(All(), Intrusive()...) {
		if names[e.Name] {
			t.Errorf("%s is there twice", e.Name)
		}
		names[e.Name] = true
		if fields := empty(e); len(fields) > 0 {
			t.Errorf("%s: %s must be filled in", e.Name, strings.Join(fields, ", "))
		}
		if folder, ok := strings.CutPrefix(e.Package, root); !ok {
			t.Errorf("%s: package %s is not in %s", e.Name, e.Package, root)
		} else if _, err := os.Stat(filepath.Join("..", folder)); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		if e.Exact() != (e.Late == "") {
			t.Errorf("%s: exact is %t, but it says that it is late by %q", e.Name, e.Exact(), e.Late)
		}
		if found, ok := Find(e.Name); !ok || found.Summary != e.Summary {
			t.Errorf("Find(%q) = %q, %t", e.Name, found.Name, ok)
		}
		calls, general := []string{".Schedule(", ".Cancel(", ".Next()", "structures.Due("}, ""
		if strings.HasPrefix(e.Package, root+"intrusive/") {
			calls[3], general = ".Pop(", "intrusive/hwheel"
		}
		// Most structures are used as the example of package structures shows, or that of intrusive/hwheel.
		examples := cmp.Or(examplesOf(t, strings.TrimPrefix(e.Package, root)), examplesOf(t, general))
		for _, call := range calls {
			if !strings.Contains(examples, call) {
				t.Errorf("%s: no Example calls %s", e.Name, call)
			}
		}
		s := e.New()
		s.Schedule(3, 7)
		if timer, ok := s.Pop(3); e.Exact() && (!ok || timer.Value != 7) {
			t.Errorf("%s: Pop(3) = %+v, %t", e.Name, timer, ok)
		}
	}
	if names := entry.InStructs; !slices.EqualFunc(names[:], Intrusive(), func(n string, e entry.Entry) bool { return n == e.Name }) {
		t.Errorf("entry.InStructs is %q, and not the list of Intrusive", names)
	}
	if _, ok := Find("none"); ok {
		t.Error("an entry that is not there was found")
	}
}

// examplesOf returns the bodies of the examples in a folder.
func examplesOf(t *testing.T, folder string) (bodies string) {
	files, err := filepath.Glob(filepath.Join("..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range strings.Split(string(text), "\nfunc ")[1:] {
			if strings.HasPrefix(f, "Example") && strings.Contains(f, "// Output:") {
				bodies += f
			}
		}
	}
	return bodies
}

// The bound in words holds, and no fraction with the same denominator is smaller.
func TestLateSaysWhatMaxLateComputes(t *testing.T) {
	e, _ := Find("hwheel-linux")
	if !strings.Contains(e.Late, "8/63 (12.7 %)") {
		t.Fatalf("%q", e.Late)
	}
	most := 0.0
	for delay := structures.Tick(1); delay < 1<<40; delay += 1 + delay/1000 {
		most = max(most, float64(e.MaxLate(delay))/float64(delay))
	}
	if most >= 8.0/63 || most < 7.0/63 {
		t.Errorf("late by %.4f of the delay, want less than 8/63 = %.4f", most, 8.0/63)
	}
}
