package scenario

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// node is a value of a TOML document with its place in the file, which decoders
// do not tell.
type node struct {
	line  int
	what  string           // what it is, in words: "a string"
	text  string           // as it stands in the file; of tables and arrays: empty
	value string           // of a string
	keys  []string         // of a table: in the order of the file
	below map[string]*node // of a table
	items []*node          // of an array
}

const (
	aTable   = "a table"
	anArray  = "an array"
	aString  = "a string"
	aWhole   = "a whole number"
	aNumber  = "a number"
	trueness = "true or false"
)

var kinds = map[unstable.Kind]string{
	unstable.InlineTable: aTable, unstable.Array: anArray, unstable.String: aString,
	unstable.Integer: aWhole, unstable.Float: aNumber, unstable.Bool: trueness,
	unstable.LocalDate: "a date", unstable.LocalTime: "a time", unstable.LocalDateTime: "a date", unstable.DateTime: "a date",
}

// readDocument reads a document. The error says at which line it is not TOML.
func readDocument(data []byte) (*node, int, error) {
	var decode *toml.DecodeError
	if err := toml.Unmarshal(data, &map[string]any{}); errors.As(err, &decode) {
		line, _ := decode.Position()
		text := strings.TrimPrefix(decode.Error(), "toml: ")
		if key := keyAt(data, line); key != "" && !strings.Contains(text, "key "+key) {
			text = key + ": " + text
		}
		return nil, line, errors.New(text)
	} else if err != nil {
		return nil, 0, err
	}
	d := document{line: func(offset uint32) int { return 1 + bytes.Count(data[:offset], []byte("\n")) }}
	root := &node{line: 1, what: aTable}
	table := root
	d.parser.Reset(data)
	for d.parser.NextExpression() {
		switch e := d.parser.Expression(); e.Kind {
		case unstable.Table:
			table = d.open(root, e.Key(), aTable)
		case unstable.ArrayTable:
			array := d.open(root, e.Key(), anArray)
			table = &node{line: array.line, what: aTable}
			if len(array.items) > 0 {
				table.line = d.keyLine(e.Key())
			}
			array.items = append(array.items, table)
		case unstable.KeyValue:
			d.keyValue(table, e)
		}
	}
	return root, 0, d.parser.Error()
}

// keyAt returns the key that a line begins with, if it does: for values that are no
// TOML, where the decoder tells none.
func keyAt(data []byte, line int) string {
	lines := strings.Split(string(data), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	key, _, is := strings.Cut(lines[line-1], "=")
	if key = strings.TrimSpace(key); !is || !keyForm.MatchString(key) {
		return ""
	}
	return key
}

var keyForm = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

type document struct {
	parser unstable.Parser
	line   func(offset uint32) int
}

// keyLine returns the line of the first part of a key.
func (d *document) keyLine(key unstable.Iterator) int {
	key.Next()
	return d.line(key.Node().Raw.Offset)
}

// open goes down from a table along a key. What is not there yet is a table, and
// the last part as given; an array on the way stands for its last item.
func (d *document) open(at *node, key unstable.Iterator, what string) *node {
	for key.Next() {
		k := key.Node()
		next, ok := at.below[string(k.Data)]
		if !ok {
			next = &node{line: d.line(k.Raw.Offset), what: aTable}
			if k.Next() == nil {
				next.what = what
			}
			at.put(string(k.Data), next)
		}
		if k.Next() != nil && len(next.items) > 0 {
			next = next.items[len(next.items)-1]
		}
		at = next
	}
	return at
}

func (d *document) keyValue(table *node, e *unstable.Node) {
	at := d.open(table, e.Key(), "")
	d.fill(at, e.Value())
}

// fill gives a node its value.
func (d *document) fill(at *node, value *unstable.Node) {
	at.what = kinds[value.Kind]
	switch value.Kind {
	case unstable.InlineTable:
		for it := value.Children(); it.Next(); {
			d.keyValue(at, it.Node())
		}
	case unstable.Array:
		for it := value.Children(); it.Next(); {
			item := &node{line: at.line}
			if n := it.Node(); n.Raw.Length > 0 {
				item.line = d.line(n.Raw.Offset)
			}
			d.fill(item, it.Node())
			at.items = append(at.items, item)
		}
	default:
		at.text, at.value = string(d.parser.Raw(value.Raw)), string(value.Data)
	}
}

func (n *node) put(key string, below *node) {
	if n.below == nil {
		n.below = make(map[string]*node)
	}
	n.keys = append(n.keys, key)
	n.below[key] = below
}

// shown is the value as messages have it.
func (n *node) shown() string {
	if n.text == "" {
		return n.what
	}
	return n.text
}

// find follows a key such as "class[0].delay.mean" down from a table as far as it
// goes. It returns the last node on the way and, if the key ends there, true;
// otherwise what of the key is there and the first part that is not.
func (n *node) find(key string) (at *node, reached string, all bool) {
	at = n
	for part := range strings.SplitSeq(strings.ReplaceAll(key, "[", ".["), ".") {
		next := at.below[part]
		if index, ok := strings.CutPrefix(part, "["); ok {
			if i, err := strconv.Atoi(strings.TrimSuffix(index, "]")); err == nil && i < len(at.items) {
				next = at.items[i]
			}
		} else if reached != "" {
			part = "." + part
		}
		reached += part
		if next == nil {
			return at, reached, false
		}
		at = next
	}
	return at, reached, true
}
