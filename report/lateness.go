package report

import "github.com/timerbench/timerbench/bench/results"

// lateness says how late coarse structures fire.
func lateness(v *view) section {
	return section{
		title: "How late do coarse structures fire?",
		lead: "A coarse structure rounds deadlines up: it fires late, never early, and by no more than it declares for the delay, which was " +
			"checked for every timer. All others fire at the very tick. Ticking driver; exact counts.",
		tables: []table{{body: v.latenessTable()}},
	}
}

// latenessTable says how late coarse structures fired, for each distribution of
// delays. It is empty when all structures are exact.
func (v *view) latenessTable() string {
	var rows [][]string
	for _, i := range v.r.Idle {
		if l := i.Lateness; l != nil && i.Driver == results.Ticking {
			rows = append(rows, []string{literal(i.Structure), literal(i.Distribution), short(float64(i.N)), count(i.Fired),
				digits3(l.Mean), digits3(l.P99), digits3(l.Max),
				percent(l.MeanShare), percent(l.P99Share), percent(l.MaxShare)})
		}
	}
	return markdownTable("llr", []string{"Structure", "Delays", "N", "Fired", "Mean, ticks", "p99, ticks", "Max, ticks",
		"Mean, of the delay", "p99, of the delay", "Max, of the delay"}, rows)
}
