package section

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/analysis"
)

const plainList = "list"

// breakEven says from how many timers on the structures are worth more than the
// simplest one.
func breakEven(v *View) Section {
	return Section{
		Title: "From how many timers on is it worth more than a list?",
		Lead: "The measured number of resident timers from which on each structure costs less than " +
			"`" + plainList + "`, a slice scanned for its minimum. The interval of the ratio of the two decides, " +
			"which is that of the tables above: faster or slower where it lies on one side of 1, as fast where it " +
			"lies within 5 % of it, and else unclear. `" + plainList + "` takes part up to a limit only: " +
			"\"not up to\" names the largest size at which both were measured.",
		Tables: []Table{{Body: v.breakEvenTable()}},
	}
}

// compared says how a structure compares with another one at one size.
func compared(r stats.Ratio) string {
	switch side := r.Side(); {
	case side > 0:
		return slower
	case side < 0:
		return faster
	case r.Standing() == stats.Tie:
		return asGood
	}
	return unclear
}

const (
	faster  = "faster"
	slower  = "slower"
	asGood  = "as fast"
	unclear = "unclear"
)

type sizeVerdict struct {
	n       int
	against string
}

// againstList compares a structure with the list at every size at which both
// were measured, the smallest first.
func againstList(cells []*analysis.Cell, name string) []sizeVerdict {
	var out []sizeVerdict
	for _, c := range cells {
		if r := c.Row(name).RatioTo(c.Row(plainList)); r.Pairs > 0 {
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
	ever := func(a string) bool {
		return slices.ContainsFunc(sizes, func(s sizeVerdict) bool { return s.against == a })
	}
	switch {
	case from == 0:
		return "every size"
	case from < len(sizes):
		return fmt.Sprintf("from %s on (%s)", short(sizes[from].n), byVerdict(sizes[:from]))
	case !ever(faster) && !ever(slower) && !ever(asGood):
		return "unclear at every size"
	case !ever(faster) && largest.against == slower:
		return "not up to " + short(largest.n)
	}
	return byVerdict(sizes)
}

// byVerdict lists sizes by verdict: "slower at 10; faster at 100 and 1k".
func byVerdict(sizes []sizeVerdict) string {
	var parts []string
	for i := 0; i < len(sizes); {
		first := sizes[i].against
		var ns []string
		for ; i < len(sizes) && sizes[i].against == first; i++ {
			ns = append(ns, short(sizes[i].n))
		}
		parts = append(parts, first+" at "+show.And(ns))
	}
	return strings.Join(parts, "; ")
}

// breakEvenTable has a row for each structure and a column for each workload that
// was run at several sizes.
func (v *View) breakEvenTable() string {
	workloads := v.Scaled()
	rows := v.Present(func(who analysis.Contender) bool { return who.IsStructure() && who.Name != plainList })
	return pivot("l", rows, workloads, func(who analysis.Contender, column int) any {
		return unless(fasterFrom(againstList(v.CellsOf(workloads[column]), who.Name)))
	})
}
