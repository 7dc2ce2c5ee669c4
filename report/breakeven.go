package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
)

// breakEven says from how many timers on the structures are worth more than the
// simplest one.
func breakEven(v *view) section {
	return section{
		title: "From how many timers on is it worth more than a list?",
		lead: fmt.Sprintf("The measured number of resident timers from which on each structure costs less than `%s`, a slice scanned for its minimum. "+
			"A structure counts as faster or slower at a size where the 95 %% interval of the ratio of the two, paired by round, lies on one side of 1; "+
			"otherwise it is unclear which is faster. `%s` takes part up to a limit only: \"not up to\" names the largest size at which both were measured.", plainList, plainList),
		tables: []table{{body: v.breakEvenTable()}},
	}
}

// plainList is the simplest structure.
const plainList = "list"

// against is how a structure compares with the list at one size.
type against string

// The verdicts. A difference counts where the interval of the paired ratio lies
// on one side of 1.
const (
	faster  against = "faster"
	slower  against = "slower"
	unclear against = "unclear"
)

// sizeVerdict is a verdict and the number of timers at which it was found.
type sizeVerdict struct {
	n int
	against
}

// againstList compares a structure with the list at every size at which both
// were measured, the smallest first.
func (v *view) againstList(cells []results.Cell, name string) []sizeVerdict {
	var out []sizeVerdict
	for _, c := range cells {
		list, ok1 := rowOf(c, plainList)
		row, ok2 := rowOf(c, name)
		if !ok1 || !ok2 {
			continue
		}
		if r := v.analysis(c).ratio(row, list); r.Pairs > 0 {
			out = append(out, sizeVerdict{c.N, compared(r)})
		}
	}
	return out
}

// fasterFrom says from which measured size on a structure is faster than the list.
// It says so only if the structure is faster at every larger size too. It is
// empty where fewer than two sizes can be compared.
func fasterFrom(sizes []sizeVerdict) string {
	if len(sizes) < 2 {
		return ""
	}
	from := len(sizes)
	for from > 0 && sizes[from-1].against == faster {
		from--
	}
	largest := sizes[len(sizes)-1]
	ever := func(a against) bool {
		return slices.ContainsFunc(sizes, func(s sizeVerdict) bool { return s.against == a })
	}
	switch {
	case from == 0:
		return "every size"
	case from < len(sizes):
		return fmt.Sprintf("from %s on (%s)", show.Short(float64(sizes[from].n)), verdicts(sizes[:from]))
	case !ever(faster) && !ever(slower):
		return "unclear at every size"
	case !ever(faster) && largest.against == slower:
		return "not up to " + show.Short(float64(largest.n))
	}
	return verdicts(sizes)
}

// verdicts lists sizes by verdict: "slower at 10; faster at 100 and 1k".
func verdicts(sizes []sizeVerdict) string {
	var parts []string
	for len(sizes) > 0 {
		first := sizes[0].against
		end := slices.IndexFunc(sizes, func(s sizeVerdict) bool { return s.against != first })
		if end < 0 {
			end = len(sizes)
		}
		var ns []string
		for _, s := range sizes[:end] {
			ns = append(ns, show.Short(float64(s.n)))
		}
		parts = append(parts, string(first)+" at "+show.And(ns))
		sizes = sizes[end:]
	}
	return strings.Join(parts, "; ")
}

// breakEvenTable has a row for each structure and a column for each workload that
// was run at several sizes.
func (v *view) breakEvenTable() string {
	workloads := v.scaled()
	header, aligns := []string{"Structure"}, "l"
	for _, w := range workloads {
		header = append(header, literal(w))
		aligns += "l"
	}
	var rows [][]string
	for _, who := range v.present(func(who contender) bool { return who.role == results.RoleStructure && who.name != plainList }) {
		line, compared := []string{literal(who.name)}, false
		for _, w := range workloads {
			cell := fasterFrom(v.againstList(v.cells(w), who.name))
			compared = compared || cell != ""
			if cell == "" {
				cell = "–"
			}
			line = append(line, cell)
		}
		if compared {
			rows = append(rows, line)
		}
	}
	if len(rows) == 0 {
		return ""
	}
	return markdownTable(aligns, header, rows)
}
