package section

import (
	"github.com/timerbench/timerbench/internal/show"
)

func liveTimers(v *View) Section {
	s := Section{Title: "How do timers do under a real clock?"}
	if v.Live == nil || len(v.Live.Rows) == 0 {
		return s
	}
	s.Lead = show.Para("These tables compare package driver, over several structures, with Go's own timers, package time. Each was checked "+
		"first: every timer fired once, no timer fired early, and no stopped timer fired. A driver has its default number of "+
		"shards unless its name says otherwise. ", LiveLoads(v.Live))
	for _, of := range LiveTables(v.Live) {
		of.Align = "lr"
		s.Tables = append(s.Tables, Table{Title: of.Title, Body: show.Tables(&of.Table)})
	}
	return s
}
