package section

import (
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/analysis"
)

// classics are the structures of the pictures of latency and of idle ticks: the six that most timers
// stand on, and auto.
var classics = []string{"minheap", "quadheap", "wheel", "hwheel", "rbtree", "skiplist", "auto"}

// classicRows returns the classics for which has holds, and the floor below them. Without any of the
// classics it returns the first structures of each family.
func (v *View) classicRows(has func(who analysis.Contender) bool) []analysis.Contender {
	rows := v.Present(has)
	var out []analysis.Contender
	for _, name := range classics {
		for _, who := range rows {
			if who.Name == name && who.IsStructure() {
				out = append(out, who)
			}
		}
	}
	if len(out) == 0 {
		out = slices.DeleteFunc(v.Leaders(rows), func(who analysis.Contender) bool { return !who.IsStructure() })
	}
	for _, who := range rows {
		if who.Role == results.RoleFloor && v.Program(who.Name) == nil && len(out) > 0 {
			out = append(out, who)
		}
	}
	return out
}
