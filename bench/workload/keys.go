package workload

import (
	"reflect"
	"strings"
)

// Key describes a parameter of a model in scenario files.
type Key struct {
	Name     string // below "parameters": "class[].delay"
	Type     string // in a word: "duration"
	Optional bool
	Doc      string // may be empty
}

// Parameters lists the parameters of a model of package workload. A delay is one parameter.
func Parameters(m Model) []Key { return keysOf(reflect.ValueOf(m).Elem(), "") }

// keysOf lists the fields of a struct. Its values are the defaults.
func keysOf(v reflect.Value, prefix string) []Key {
	var out []Key
	for f, value := range v.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("toml"), ",")
		k := Key{
			Name: prefix + name,
			Type: typeName(f.Type),
			Doc:  f.Tag.Get("comment"),
			Optional: strings.Contains(options, "omitempty") || !value.IsZero() ||
				f.Type == reflect.TypeFor[Share](), // no share is a share of 0
		}
		below := f.Type
		if below.Kind() == reflect.Slice {
			k.Name += "[]"
		}
		if below.Kind() == reflect.Slice || below.Kind() == reflect.Pointer {
			below = below.Elem()
		}
		out = append(out, k)
		if k.Type == "table" {
			out = append(out, keysOf(reflect.Zero(below), k.Name+".")...)
		}
	}
	return out
}

// typeName returns the name of the type of a parameter.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return typeName(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.Struct:
		if t != reflect.TypeFor[Delay]() {
			return "table"
		}
	}
	return strings.ToLower(t.Name())
}
