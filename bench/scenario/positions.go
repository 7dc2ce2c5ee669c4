package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/timerbench/timerbench/bench/workload"
)

// position is the position of a key, or of an item of an array, in a file.
type position struct {
	key  string // from the root: "parameters.class[0].delay"
	pos  unstable.Position
	text string // text of the value; of a table or an array its kind
}

// positions are the positions in a file of valid TOML, in the order of the file. They are
// needed because the decoder does not return the positions of values.
type positions struct {
	parser unstable.Parser
	list   []position
	items  map[string]int // of each array, so far
}

func positionsOf(data []byte) *positions {
	p := &positions{items: make(map[string]int)}
	p.parser.Reset(data)
	table := ""
	for p.parser.NextExpression() {
		switch e := p.parser.Expression(); e.Kind {
		case unstable.Table:
			table = p.addKey("", e.Key(), aTable)
		case unstable.ArrayTable:
			array := p.addKey("", e.Key(), anArray)
			table = p.addItem(array, p.list[len(p.list)-1].pos)
		case unstable.KeyValue:
			p.keyValue(table, e)
		}
	}
	return p
}

func (p *positions) add(key string, pos unstable.Position, text string) {
	p.list = append(p.list, position{key, pos, text})
}

// addKey adds the positions of all parts of a key in a table, and returns the key from
// the root. The last part has the given text. A part that is an array means its last
// item.
func (p *positions) addKey(table string, key unstable.Iterator, text string) string {
	for key.Next() {
		if n := p.items[table]; n > 0 {
			table = fmt.Sprintf("%s[%d]", table, n-1)
		}
		table = join(table, string(key.Node().Data))
		pos := p.parser.Shape(key.Node().Raw).Start
		if key.IsLast() {
			p.add(table, pos, text)
		} else if _, there := p.find(table); !there {
			p.add(table, pos, aTable)
		}
	}
	return table
}

// addItem adds an item to an array and returns its key.
func (p *positions) addItem(array string, pos unstable.Position) string {
	key := fmt.Sprintf("%s[%d]", array, p.items[array])
	p.items[array]++
	p.add(key, pos, aTable)
	return key
}

func (p *positions) keyValue(table string, e *unstable.Node) {
	switch value := e.Value(); value.Kind {
	case unstable.InlineTable:
		p.addInline(p.addKey(table, e.Key(), aTable), value)
	case unstable.Array:
		key := p.addKey(table, e.Key(), anArray)
		for it := value.Children(); it.Next(); {
			p.addInline(p.addItem(key, p.parser.Shape(it.Node().Raw).Start), it.Node())
		}
	default:
		p.addKey(table, e.Key(), string(p.parser.Raw(value.Raw)))
	}
}

// addInline adds what is in an inline table. All arrays of a scenario are arrays of tables.
func (p *positions) addInline(key string, table *unstable.Node) {
	if table.Kind == unstable.InlineTable {
		for it := table.Children(); it.Next(); {
			p.keyValue(key, it.Node())
		}
	}
}

// find returns the position of a key.
func (p *positions) find(key string) (at position, there bool) {
	i := slices.IndexFunc(p.list, func(at position) bool { return at.key == key })
	if i < 0 {
		return at, false
	}
	return p.list[i], true
}

// lastBefore returns the last position that is at a line and a column or before.
func (p *positions) lastBefore(line, column int) (last position) {
	for _, next := range p.list {
		if next.pos.Line < line || next.pos.Line == line && next.pos.Column <= column {
			last = next
		}
	}
	return last
}

// faultAt returns the fault of a parameter that is out of range, with its line. A
// parameter that is not in the file is reported as missing, at the line of its table.
func (p *positions) faultAt(table string, e workload.ParameterError) fault {
	e.Key = join(table, e.Key)
	line, reached := 1, ""
	for _, part := range parts(e.Key) {
		reached = join(reached, part)
		at, there := p.find(reached)
		switch {
		case there:
			line = at.pos.Line
		case reached == e.Key:
			return fault{line, fmt.Sprintf("%s is missing: want %s", reached, e.Want)}
		default:
			return fault{line, reached + " is missing"}
		}
	}
	return fault{line, e.Error()}
}

// parts returns the names and the indices of a key such as "class[0].delay".
func parts(key string) []string {
	return strings.Split(strings.ReplaceAll(key, "[", ".["), ".")
}

// join returns the key of an entry in a table; either key may be empty.
func join(key, below string) string {
	if key == "" || below == "" || below[0] == '[' {
		return key + below
	}
	return key + "." + below
}
