package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/suggest"
)

const (
	aTable  = "a table"
	anArray = "an array"
)

// forms says what values of a kind look like in a file.
var forms = map[reflect.Kind]string{
	reflect.Struct: aTable, reflect.Pointer: aTable, reflect.Slice: anArray,
	reflect.String: "a string", reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Float64: "a number",
	reflect.Int64: `a duration in quotes, such as "100ms", "1.5s" or "2h"`,
}

// decode fills the header and the model, which holds what may be left out. It returns
// the keys that do not exist, or else the first value of the wrong type.
func decode(data []byte, file *places, head *header, model workload.Model) []problem {
	h := reflect.ValueOf(head).Elem()
	whole := reflect.New(reflect.StructOf(append(reflect.VisibleFields(h.Type()), reflect.StructField{
		Name: "Parameters", Type: reflect.TypeOf(model), Tag: `toml:"parameters"`,
	}))).Elem()
	whole.FieldByName("Parameters").Set(reflect.ValueOf(model))
	if problems := file.refused(whole.Type()); problems != nil {
		return problems
	}
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(whole.Addr().Interface())
	for i := range h.NumField() {
		h.Field(i).Set(whole.Field(i))
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		at := file.before(wrong.Position())
		t, _ := file.typeOf(whole.Type(), at.key)
		return []problem{at.unfit(t)}
	} else if err != nil {
		return []problem{{1, err.Error()}}
	}
	return nil
}

// refused returns what the decoder would take, or not place: keys in upper case and keys
// that do not exist, a table for an array of tables, and a number for a duration.
func (p *places) refused(root reflect.Type) []problem {
	var out []problem
	for _, at := range p.list {
		t, wrong := p.typeOf(root, at.key)
		if wrong == nil && t.Kind() == reflect.Int64 && !strings.ContainsAny(at.text[:1], `"'`) {
			wrong = []problem{at.unfit(t)}
		}
		for _, w := range wrong {
			// What is below a key that does not exist is wrong for the same reason.
			if !slices.ContainsFunc(out, func(told problem) bool { return told.text == w.text }) {
				out = append(out, w)
			}
		}
	}
	return out
}

// typeOf goes from a type along a key, and returns the type of what is there, or what
// is wrong on the way.
func (p *places) typeOf(t reflect.Type, key string) (reflect.Type, []problem) {
	reached := ""
	for _, part := range parts(key) {
		at, _ := p.find(reached)
		index := strings.HasPrefix(part, "[")
		names, types := below(t)
		next, ok := types[part]
		reached = join(reached, part)
		switch {
		case index && t.Kind() == reflect.Slice:
			next = t.Elem()
		case index || names == nil:
			return t, []problem{at.unfit(t)}
		case !ok:
			at, _ = p.find(reached)
			return t, []problem{{at.pos.Line, fmt.Sprintf("%s: there is no such key%s; there are: %s",
				reached, suggest.Nearest(part, names), strings.Join(names, ", "))}}
		}
		t = next
	}
	return t, nil
}

// unfit says that a value is not of the type that it is decoded into.
func (at place) unfit(t reflect.Type) problem {
	return problem{at.pos.Line, fmt.Sprintf("%s = %s: want %s", at.key, at.text, forms[t.Kind()])}
}

// below returns the keys of a table that is decoded into a type, and the type of each.
func below(t reflect.Type) (names []string, types map[string]reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, nil
	}
	types = make(map[string]reflect.Type)
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("toml"), ","); name != "" {
			names = append(names, name)
			types[name] = f.Type
		}
	}
	return names, types
}
