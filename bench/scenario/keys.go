package scenario

import (
	"reflect"
	"strings"

	"github.com/timerbench/timerbench/bench"
)

// Key is a parameter of a model as scenario files have it.
type Key struct {
	Name     string // below "parameters": "class[].delay"
	Type     string // in a word: "duration"
	Optional bool
	Doc      string // may be empty, where the name says it all
}

// Keys lists the parameters of a kind of model. A delay is one parameter.
func Keys(kind bench.ModelKind) []Key { return keysOf(reflect.TypeOf(kind.New()), "") }

func keysOf(t reflect.Type, prefix string) []Key {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var out []Key
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("toml"), ",")
		k := Key{prefix + name, word(f.Type), strings.Contains(options, "omitempty"), f.Tag.Get("comment")}
		below := f.Type
		if below.Kind() == reflect.Slice {
			k.Name, below = k.Name+"[]", below.Elem()
		}
		out = append(out, k)
		if k.Type == "table" {
			out = append(out, keysOf(below, k.Name+".")...)
		}
	}
	return out
}

// word names the type of a parameter.
func word(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return word(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.Struct:
		if t != reflect.TypeFor[bench.Delay]() {
			return "table"
		}
	}
	return strings.ToLower(t.Name())
}
