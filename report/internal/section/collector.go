package section

import (
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/analysis"
)

// collector says what the garbage collector adds to the cost.
func collector(v *View) Section {
	s := Section{
		Title: "What does the garbage collector add?",
		Lead: "All other figures are with the collector off while the clock runs. Here it is on, and a " +
			"heap like that of a program lies beside the structure. \"On / off\" compares the two medians.",
	}
	has := func(r *analysis.Row) bool { return len(results.Samples(r.WithGC)) > 0 }
	for _, c := range v.LargestOfEach(has) {
		title := cellTitle(c) + ": with the collector on"
		s.Tables = append(s.Tables, Table{Title: title, Body: v.collectorTable(c)})
	}
	return s
}

func (v *View) collectorTable(c *analysis.Cell) string {
	t := newTable("lr", "Structure", "Median ns, off", "95 % CI", "Median ns, on", "95 % CI", "On / off")
	all := c.WithGC()
	for _, who := range v.Contenders {
		on, ok := all[who.Name]
		if !ok {
			continue
		}
		row := c.Row(who.Name)
		off, difference := row.Cost(), show.Unknown
		if off.OK() {
			difference = show.Times(on.Median / off.Median)
		}
		t.add(label(who, row.MayBeBest()), off.Median, interval(off), on.Median, interval(on), difference)
	}
	return t.Markdown()
}
