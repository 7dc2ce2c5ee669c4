package report

import (
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// asFast says how fast something is whose time is so many times as long.
func asFast(r stats.Ratio) string {
	switch {
	case r.Pairs == 0:
		return "–"
	case r.Center < 1/1.05:
		return show.Times(1/r.Center) + " times as fast"
	case r.Center > 1.05:
		return show.Times(r.Center) + " times as long"
	}
	return "as long"
}
