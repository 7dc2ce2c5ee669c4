package scenario

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/suggest"
)

// parameter is a key that a table may have.
type parameter struct {
	name string
	kind reflect.Type
}

// parameters lists the keys of a table that is decoded into a struct.
func parameters(t reflect.Type) []parameter {
	var out []parameter
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		switch {
		case f.Anonymous:
			out = append(out, parameters(f.Type)...)
		case name != "":
			out = append(out, parameter{name, f.Type})
		}
	}
	return out
}

// shape holds a value of a document against the type that it is to be decoded
// into, and returns the keys that do not exist and the values of the wrong type.
func shape(n *node, t reflect.Type, key string) []problem {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	wrong := func(want string) []problem {
		return []problem{{n.line, fmt.Sprintf("%s = %s: want %s", key, n.shown(), want)}}
	}
	if text, ok := reflect.New(t).Interface().(encoding.TextUnmarshaler); ok {
		if n.what != aString {
			return wrong(example(t))
		}
		if err := text.UnmarshalText([]byte(n.value)); err != nil {
			return []problem{{n.line, fmt.Sprintf("%s = %v", key, err)}}
		}
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		if n.what != aTable {
			return wrong(aTable)
		}
		return shapeOfTable(n, parameters(t), key)
	case reflect.Slice:
		if n.what != anArray {
			return wrong(anArray)
		}
		var out []problem
		for i, item := range n.items {
			out = append(out, shape(item, t.Elem(), fmt.Sprintf("%s[%d]", key, i))...)
		}
		return out
	case reflect.Int:
		if n.what != aWhole {
			return wrong(aWhole)
		}
	case reflect.Float64:
		if n.what != aWhole && n.what != aNumber {
			return wrong(aNumber)
		}
	case reflect.String:
		if n.what != aString {
			return wrong(aString)
		}
	case reflect.Bool:
		if n.what != trueness {
			return wrong(trueness)
		}
	default:
		panic(fmt.Sprintf("scenario: a parameter %s of type %v", key, t))
	}
	return nil
}

func shapeOfTable(n *node, known []parameter, key string) []problem {
	var out []problem
	var names []string
	types := make(map[string]reflect.Type)
	for _, p := range known {
		names = append(names, p.name)
		types[p.name] = p.kind
	}
	for _, name := range n.keys {
		below := n.below[name]
		full := name
		if key != "" {
			full = key + "." + name
		}
		if t, ok := types[name]; ok {
			out = append(out, shape(below, t, full)...)
			continue
		}
		out = append(out, problem{below.line, fmt.Sprintf("%s: there is no such key%s; there are: %s",
			full, suggest.Nearest(name, names), strings.Join(names, ", "))})
	}
	return out
}

// example says how a value that is written as a string looks.
func example(t reflect.Type) string {
	if t == reflect.TypeFor[workload.Duration]() {
		return `a duration in quotes, such as "100ms", "1.5s" or "2h"`
	}
	return aString
}
