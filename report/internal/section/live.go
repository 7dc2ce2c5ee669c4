package section

import (
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/livetable"
)

func liveTimers(v *View) Section {
	s := Section{Title: "What do timers cost under a real clock, and how late are they?"}
	if v.Live == nil || len(v.Live.Rows) == 0 {
		return s
	}
	s.Lead = show.Para("Package driver over structures, and Go's own timers, package time. Each was checked " +
		"first: every timer fired once, none early, and none that was stopped. Where there is no word " +
		"of shards a driver has its default number of them.")
	for _, of := range livetable.Of(v.Live) {
		of.Align = "lr"
		s.Tables = append(s.Tables, Table{Title: of.Title, Body: show.Tables(&of.Table)})
	}
	return s
}
