package section

import (
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/analysis"
)

// classicRows returns the classics for which has holds, and the floor below them. Without any of the
// classics it returns the structures of a chart of curves.
func (v *View) classicRows(has func(who analysis.Contender) bool) []analysis.Contender {
	rows := v.Present(has)
	var out []analysis.Contender
	for _, name := range analysis.Classics {
		for _, who := range rows {
			if who.Name == name && who.IsStructure() {
				out = append(out, who)
			}
		}
	}
	if len(out) == 0 {
		out = v.Leaders(rows)
	}
	for _, who := range rows {
		if who.Role == results.RoleFloor && v.Program(who.Name) == nil && who.Name != results.IntrusiveFloor && len(out) > 0 {
			out = append(out, who)
		}
	}
	return out
}
