package workload

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/timerbench/timerbench/internal/show"
)

// place is where a key, or an item of an array, stands in a file, and what.
type place struct {
	line int
	text string // of the value; of a table or an array its kind
}

const (
	aTable  = "a table"
	anArray = "an array"
)

// file holds the places in a file of valid TOML, since the decoder does not return them, and the
// faults that were found.
type file struct {
	parser unstable.Parser
	places map[string]place // by key from the root: "parameters.class[0].delay"
	items  map[string]int   // of each array, so far
	faults []fault

	unknown []fault       // keys that do not exist, for which others may be missing
	tick    time.Duration // 0: not known
}

type fault struct {
	line int
	text string
}

func newFile(data []byte) *file {
	f := &file{places: map[string]place{}, items: map[string]int{}}
	f.parser.Reset(data)
	table := ""
	for f.parser.NextExpression() {
		switch e := f.parser.Expression(); e.Kind {
		case unstable.Table:
			table, _ = f.addKey("", e.Key(), aTable)
		case unstable.ArrayTable:
			table = f.addItem(f.addKey("", e.Key(), anArray))
		case unstable.KeyValue:
			f.addValue(table, e)
		}
	}
	return f
}

func (f *file) add(key string, line int, text string) {
	if _, there := f.places[key]; !there {
		f.places[key] = place{line, text}
	}
}

// addKey adds all parts of a key in a table. It returns the key from the root and its line. The
// last part has the given text. A part that is an array means its last item.
func (f *file) addKey(table string, key unstable.Iterator, text string) (from string, line int) {
	for key.Next() {
		if n := f.items[table]; n > 0 {
			table = fmt.Sprintf("%s[%d]", table, n-1)
		}
		table = join(table, string(key.Node().Data))
		line = f.parser.Shape(key.Node().Raw).Start.Line
		if key.IsLast() {
			f.add(table, line, text)
		} else {
			f.add(table, line, aTable)
		}
	}
	return table, line
}

func (f *file) addItem(array string, line int) string {
	key := fmt.Sprintf("%s[%d]", array, f.items[array])
	f.items[array]++
	f.add(key, line, aTable)
	return key
}

func (f *file) addValue(table string, e *unstable.Node) {
	switch value := e.Value(); value.Kind {
	case unstable.InlineTable:
		key, _ := f.addKey(table, e.Key(), aTable)
		f.addInline(key, value)
	case unstable.Array:
		key, _ := f.addKey(table, e.Key(), anArray)
		for it := value.Children(); it.Next(); {
			f.addInline(f.addItem(key, f.parser.Shape(it.Node().Raw).Start.Line), it.Node())
		}
	default:
		f.addKey(table, e.Key(), string(f.parser.Raw(value.Raw)))
	}
}

// addInline adds the keys of an inline table. All arrays of a scenario are arrays of tables.
func (f *file) addInline(key string, table *unstable.Node) {
	if table.Kind == unstable.InlineTable {
		for it := table.Children(); it.Next(); {
			f.addValue(key, it.Node())
		}
	}
}

func (f *file) given(key string) bool { _, there := f.places[key]; return there }

// wrong adds the fault of a value that is out of range, at its line. One that is not in the file is
// missing, at the line of its table.
func (f *file) wrong(key, value, want string) {
	line, reached := 1, ""
	for part := range strings.SplitSeq(strings.ReplaceAll(key, "[", ".["), ".") {
		reached = join(reached, part)
		if at, there := f.places[reached]; there {
			line = at.line
			continue
		}
		text := reached + " is missing"
		if reached == key {
			text += ": want " + want
		}
		f.faults = append(f.faults, fault{line, text})
		return
	}
	e := ParameterError{Key: key, Value: value, Want: want}
	f.faults = append(f.faults, fault{line, e.Error()})
}

// expectedForm describes the values of a kind in a file.
var expectedForm = map[reflect.Kind]string{
	reflect.Struct: aTable, reflect.Slice: anArray,
	reflect.String: "a string", reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Float64: "a number",
	reflect.Int64: `a duration in quotes, such as "100ms", "1.5s" or "2h"`,
}

// decode decodes the value of a key into v, which holds the defaults, and checks its range. The decoder of TOML is
// less strict: it takes keys in upper case, a table for an array of tables, and a number for a duration.
func (f *file) decode(key string, value any, v reflect.Value, tag reflect.StructTag) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	right := false
	switch value := value.(type) {
	case map[string]any:
		if right = v.Kind() == reflect.Struct; right {
			f.decodeTable(key, value, v)
		}
	case []any:
		if right = v.Kind() == reflect.Slice; right {
			v.Set(reflect.MakeSlice(v.Type(), len(value), len(value)))
			for i, item := range value {
				f.decode(fmt.Sprintf("%s[%d]", key, i), item, v.Index(i), "")
			}
		}
	default:
		from, whole := reflect.ValueOf(value), reflect.TypeOf(value).Kind() == reflect.Int64
		if d, ok := v.Addr().Interface().(*Duration); ok {
			text, isText := value.(string)
			right = isText && d.UnmarshalText([]byte(text)) == nil
		} else if right = from.Kind() == v.Kind() && from.CanConvert(v.Type()) || whole && (v.CanInt() || v.CanFloat()); right {
			v.Set(from.Convert(v.Type()))
		}
	}
	switch {
	case !right:
		f.wrong(key, f.places[key].text, expectedForm[v.Kind()])
	case !strings.Contains(tag.Get("toml"), ",omitempty") || !v.IsZero():
		f.checkRange(key, v)
	case tag.Get("zero") == "no":
		f.wrong(key, fmt.Sprint(v), "more than 0, unless it is left out")
	}
}

// checkRange checks the range of a parameter, where the length of a tick is known.
func (f *file) checkRange(key string, v reflect.Value) {
	if want := OutOfRange(v.Interface(), max(f.tick, 1)); want != "" && f.tick > 0 {
		value := ""
		if f.given(key) {
			value = fmt.Sprint(v)
		}
		f.wrong(key, value, want)
	}
}

// decodeTable decodes a table, which is nil if it is left out, and checks what its values are together.
func (f *file) decodeTable(key string, table map[string]any, v reflect.Value) {
	before := len(f.faults)
	var names []string
	for _, field := range reflect.VisibleFields(v.Type()) {
		name, options, _ := strings.Cut(field.Tag.Get("toml"), ",")
		if name == "" {
			continue
		}
		names = append(names, name)
		below, to := join(key, name), v.FieldByIndex(field.Index)
		switch value, given := table[name]; {
		case given:
			f.decode(below, value, to, field.Tag)
		case strings.Contains(options, "omitempty"):
		case to.Kind() == reflect.Interface:
			f.decodeTable(below, nil, to.Elem().Elem())
		case to.Kind() == reflect.Struct:
			f.decodeTable(below, nil, to)
		default:
			f.checkRange(below, to)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if below := join(key, name); !slices.Contains(names, name) {
			f.unknown = append(f.unknown, fault{f.places[below].line, fmt.Sprintf("%s: there is no such key%s; there are: %s",
				below, show.Nearest(name, names), strings.Join(names, ", "))})
		}
	}
	if c, ok := v.Addr().Interface().(Checker); ok && len(f.faults) == before {
		for _, e := range c.Check() {
			f.wrong(join(key, e.Key), e.Value, e.Want)
		}
	}
}

// join returns the key of an entry in a table; either key may be empty.
func join(key, below string) string {
	if key == "" || below == "" || below[0] == '[' {
		return key + below
	}
	return key + "." + below
}
