package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// curveChart shows the whole distribution of single calls: x counts the nines of
// the percentile, so that the tail gets as much room as the bulk. Nil: the
// results hold no quantiles.
func (v *view) curveChart(c results.Cell) *figure {
	rows := v.latencyRows(c)
	times, nines := newSpan(), newSpan()
	var with []script.Kind
	for _, kind := range kindsOf(c) {
		for _, who := range rows {
			row, _ := rowOf(c, who.name)
			l, _ := latencyOf(row, kind)
			marks := curve(l)
			if len(marks) < 2 {
				continue // too few samples for a line
			}
			for _, m := range marks {
				times.add(m.y)
				nines.add(m.x)
				if !slices.Contains(with, kind) {
					with = append(with, kind)
				}
			}
		}
	}
	if len(with) == 0 {
		return nil
	}
	f := &figure{
		name:     fmt.Sprintf("curve-%s-%d", c.Workload, c.N),
		title:    "How far does the slow tail reach?",
		subtitle: fmt.Sprintf("Latency of single calls against percentile. Workload %s. Lower is better.", cellTitle(c)),
		caption:  "Logarithmic time axis; the percentile axis gives every further nine the same room and ends at the slowest call. Straight lines between measured quantiles." + v.clockNote(),
		legend:   v.keys(rows, true),
	}
	for i := range f.legend {
		f.legend[i].radius = 0
	}
	times = times.around(1.25, 1.25)
	columns := min(len(with), 3)
	if len(with) == 4 {
		columns = 2
	}
	f.height = lines(len(with), columns) * 220
	var panels []*plot.Plot
	for i, kind := range with {
		p := newPanel(kind.String())
		logAxis(&p.Y, times, logTicks{duration, 8})
		logAxis(&p.X, nines, ninesTicks{})
		p.X.Label.Text = "percentile of calls (%)"
		for _, who := range rows {
			row, _ := rowOf(c, who.name)
			if l, ok := latencyOf(row, kind); ok {
				p.Add(series{look: v.looks[who.name], marks: curve(l)})
			}
		}
		if i%columns > 0 {
			p.Y.Tick.Marker = unnamed{p.Y.Tick.Marker}
		}
		panels = append(panels, p)
	}
	f.panels = arrange(panels, columns)
	return f
}

// curve turns quantiles into marks at 1/(1-q). The largest sample, at q = 1,
// stands at the share that it is of all samples.
func curve(l results.Latency) []mark {
	var out []mark
	for _, q := range l.Quantiles {
		x := 1 / (1 - q.Q)
		if q.Q >= 1 {
			x = float64(l.Samples)
		}
		if q.NS > 0 && x >= 1 && (len(out) == 0 || x > out[len(out)-1].x) {
			out = append(out, mark{x: x, y: q.NS})
		}
	}
	return out
}

// ninesTicks marks 50 %, 90 %, 99 % and so on, on an axis of 1/(1-q).
type ninesTicks struct{}

// Ticks implements plot.Ticker.
func (ninesTicks) Ticks(lo, hi float64) []plot.Tick {
	ticks := []plot.Tick{{Value: 2, Label: "50"}}
	for n := 1; math.Pow10(n) <= hi; n++ {
		label := "90"
		if n > 1 {
			label = strconv.FormatFloat(100-100/math.Pow10(n), 'f', max(0, n-2), 64)
		}
		if n > 5 {
			label = fmt.Sprintf("%d nines", n)
		}
		ticks = append(ticks, plot.Tick{Value: math.Pow10(n), Label: label})
	}
	return slices.DeleteFunc(ticks, func(t plot.Tick) bool { return t.Value < lo || t.Value > hi })
}
