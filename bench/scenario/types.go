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

// expectedForm describes the values of a kind in a file.
var expectedForm = map[reflect.Kind]string{
	reflect.Struct: aTable, reflect.Pointer: aTable, reflect.Slice: anArray,
	reflect.String: "a string", reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Float64: "a number",
	reflect.Int64: `a duration in quotes, such as "100ms", "1.5s" or "2h"`,
}

// decodeFile decodes a file into the header and the model. The model holds the defaults.
// It returns the keys that do not exist. If there are none, it returns the first value of
// the wrong type.
func decodeFile(data []byte, file *positions, head *header, model workload.Model) []fault {
	h := reflect.ValueOf(head).Elem()
	whole := reflect.New(reflect.StructOf(append(reflect.VisibleFields(h.Type()), reflect.StructField{
		Name: "Parameters", Type: reflect.TypeOf(model), Tag: `toml:"parameters"`,
	}))).Elem()
	whole.FieldByName("Parameters").Set(reflect.ValueOf(model))
	if problems := file.rejected(whole.Type()); problems != nil {
		return problems
	}
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(whole.Addr().Interface())
	for i := range h.NumField() {
		h.Field(i).Set(whole.Field(i))
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		at := file.lastBefore(wrong.Position())
		t, _ := file.typeOf(whole.Type(), at.key)
		return []fault{at.wrongType(t)}
	} else if err != nil {
		return []fault{{1, err.Error()}}
	}
	return nil
}

// rejected returns the faults that the decoder accepts or reports without a line: keys in
// upper case, keys that do not exist, a table instead of an array of tables, and a number
// instead of a duration.
func (p *positions) rejected(root reflect.Type) []fault {
	var out []fault
	for _, at := range p.list {
		t, wrong := p.typeOf(root, at.key)
		if wrong == nil && t.Kind() == reflect.Int64 && !strings.ContainsAny(at.text[:1], `"'`) {
			wrong = []fault{at.wrongType(t)}
		}
		for _, w := range wrong {
			// A key that does not exist is reported once, not for each key below it.
			if !slices.ContainsFunc(out, func(told fault) bool { return told.text == w.text }) {
				out = append(out, w)
			}
		}
	}
	return out
}

// typeOf returns the type into which the value of a key is decoded, or the fault of the
// first part of the key that does not fit. t is the type of the whole file.
func (p *positions) typeOf(t reflect.Type, key string) (reflect.Type, []fault) {
	reached := ""
	for _, part := range parts(key) {
		at, _ := p.find(reached)
		index := strings.HasPrefix(part, "[")
		names, types := fieldsOf(t)
		next, ok := types[part]
		reached = join(reached, part)
		switch {
		case index && t.Kind() == reflect.Slice:
			next = t.Elem()
		case index || names == nil:
			return t, []fault{at.wrongType(t)}
		case !ok:
			at, _ = p.find(reached)
			return t, []fault{{at.pos.Line, fmt.Sprintf("%s: there is no such key%s; there are: %s",
				reached, suggest.Nearest(part, names), strings.Join(names, ", "))}}
		}
		t = next
	}
	return t, nil
}

// wrongType returns the fault of a value that does not have type t.
func (at position) wrongType(t reflect.Type) fault {
	return fault{at.pos.Line, fmt.Sprintf("%s = %s: want %s", at.key, at.text, expectedForm[t.Kind()])}
}

// fieldsOf returns the keys of a table that is decoded into type t, and their types.
func fieldsOf(t reflect.Type) (names []string, types map[string]reflect.Type) {
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
