package results

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/internal/fail"
)

// keysOf adds the keys of a type, and of the types in it, as files have them.
func keysOf(t reflect.Type, keys map[string]bool, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for f := range t.NumField() {
		key, _, _ := strings.Cut(t.Field(f).Tag.Get("json"), ",")
		if key != "" {
			keys[key] = true
		}
		if key != "" || t.Field(f).Anonymous {
			keysOf(t.Field(f).Type, keys, seen)
		}
	}
}

// docs/data.md names each key of a results file, and no other ones.
func TestTheDictionaryIsWhole(t *testing.T) {
	data, err := os.ReadFile("../../docs/data.md")
	fail.If(t, err)
	_, file, ok := strings.Cut(string(data), "\n## Results file\n")
	file, _, ok2 := strings.Cut(file, "\n## ")
	if !ok || !ok2 {
		t.Fatal("docs/data.md lacks a section")
	}
	keys := map[string]bool{"digest": true}
	keysOf(reflect.TypeFor[Run](), keys, map[reflect.Type]bool{})
	var got []string
	for _, name := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(file, -1) {
		got = append(got, name[1])
	}
	for key := range keys {
		if !slices.Contains(got, key) {
			t.Errorf("it lacks the key %q", key)
		}
	}
	others := []string{"false", "doctor", "ab"}
	for _, name := range got {
		if !keys[name] && !slices.Contains(others, name) {
			t.Errorf("it names %q, which is no key", name)
		}
	}
}
