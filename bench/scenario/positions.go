package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/timerbench/timerbench/bench/workload"
)

// place is where a key stands in a file, or an item of an array.
type place struct {
	key  string // from the root: "parameters.class[0].delay"
	pos  unstable.Position
	text string // the value as it stands there; of tables and arrays what they are
}

// places are the places of a file that is sound TOML, in its order. The decoder does
// not say where a value came from.
type places struct {
	parser unstable.Parser
	list   []place
	items  map[string]int // of each array, so far
}

func placesOf(data []byte) *places {
	p := &places{items: make(map[string]int)}
	p.parser.Reset(data)
	table := ""
	for p.parser.NextExpression() {
		switch e := p.parser.Expression(); e.Kind {
		case unstable.Table:
			table = p.open("", e.Key(), aTable)
		case unstable.ArrayTable:
			array := p.open("", e.Key(), anArray)
			table = p.item(array, p.list[len(p.list)-1].pos)
		case unstable.KeyValue:
			p.keyValue(table, e)
		}
	}
	return p
}

func (p *places) add(key string, pos unstable.Position, text string) {
	p.list = append(p.list, place{key, pos, text})
}

// open goes from a table along a key, the last part of which holds text, and returns
// the key from the root. An array on the way stands for its last item.
func (p *places) open(table string, key unstable.Iterator, text string) string {
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

// item adds an item to an array and returns its key.
func (p *places) item(array string, pos unstable.Position) string {
	key := fmt.Sprintf("%s[%d]", array, p.items[array])
	p.items[array]++
	p.add(key, pos, aTable)
	return key
}

func (p *places) keyValue(table string, e *unstable.Node) {
	switch value := e.Value(); value.Kind {
	case unstable.InlineTable:
		p.inline(p.open(table, e.Key(), aTable), value)
	case unstable.Array:
		key := p.open(table, e.Key(), anArray)
		for it := value.Children(); it.Next(); {
			p.inline(p.item(key, p.parser.Shape(it.Node().Raw).Start), it.Node())
		}
	default:
		p.open(table, e.Key(), string(p.parser.Raw(value.Raw)))
	}
}

// inline adds what is in an inline table. All arrays of a scenario are arrays of tables.
func (p *places) inline(key string, table *unstable.Node) {
	if table.Kind == unstable.InlineTable {
		for it := table.Children(); it.Next(); {
			p.keyValue(key, it.Node())
		}
	}
}

// find returns the place of a key.
func (p *places) find(key string) (at place, there bool) {
	i := slices.IndexFunc(p.list, func(at place) bool { return at.key == key })
	if i < 0 {
		return at, false
	}
	return p.list[i], true
}

// before returns the last place that begins at a position of the file or before it.
func (p *places) before(line, column int) (last place) {
	for _, next := range p.list {
		if next.pos.Line < line || next.pos.Line == line && next.pos.Column <= column {
			last = next
		}
	}
	return last
}

// locate finds the line of a parameter that is out of range. One that is not in the
// file is missing, at the line of the table in which it is.
func (p *places) locate(table string, e workload.ParameterError) problem {
	e.Key = join(table, e.Key)
	line, reached := 1, ""
	for _, part := range parts(e.Key) {
		reached = join(reached, part)
		at, there := p.find(reached)
		switch {
		case there:
			line = at.pos.Line
		case reached == e.Key:
			return problem{line, fmt.Sprintf("%s is missing: want %s", reached, e.Want)}
		default:
			return problem{line, reached + " is missing"}
		}
	}
	return problem{line, e.Error()}
}

// parts returns the names and the indices of a key such as "class[0].delay".
func parts(key string) []string {
	return strings.Split(strings.ReplaceAll(key, "[", ".["), ".")
}

// join puts a key below another; either may be empty.
func join(key, below string) string {
	if key == "" || below == "" || below[0] == '[' {
		return key + below
	}
	return key + "." + below
}
