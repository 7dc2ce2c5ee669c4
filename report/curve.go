package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// curveChart shows the whole distribution of single calls. The horizontal axis
// counts the nines of the percentile, so that the tail gets as much room as the
// rest. It is nil where the results hold no quantiles.
func (v *view) curveChart(c results.Cell) *draw.Figure {
	rows := v.latencyRows(c)
	var times, nines draw.Span
	kinds := kindsOf(c)
	kinds = slices.DeleteFunc(kinds, func(kind script.Kind) bool {
		empty := true
		for _, who := range rows {
			row, _ := rowOf(c, who.name)
			l, _ := latencyOf(row, kind)
			marks := curve(l)
			if len(marks) < 2 {
				continue // too few samples for a line
			}
			empty = false
			for _, m := range marks {
				times.Add(m.Y)
				nines.Add(m.X)
			}
		}
		return empty
	})
	if len(kinds) == 0 {
		return nil
	}
	times = times.Around(1.25, 1.25)
	columns := min(len(kinds), 3)
	if len(kinds) == 4 {
		columns = 2
	}
	var panels []*draw.Panel
	for i, kind := range kinds {
		p := draw.NewPanel(kind.String())
		p.LogX("percentile of calls (%)", nines, ninesTicks())
		p.LogY("", times, draw.LogTicks{Label: duration, Most: 8})
		if i%columns > 0 {
			p.UnnamedY()
		}
		for _, who := range rows {
			row, _ := rowOf(c, who.name)
			if l, ok := latencyOf(row, kind); ok {
				p.Add(draw.Series{Look: v.looks[who.name], Marks: curve(l)})
			}
		}
		panels = append(panels, p)
	}
	f := &draw.Figure{
		Name:     fmt.Sprintf("curve-%s-%d", c.Workload, c.N),
		Title:    "How far does the slow tail reach?",
		Subtitle: fmt.Sprintf("Latency of single calls against percentile. Workload %s. Lower is better.", cellTitle(c)),
		Caption:  "Logarithmic time axis; the percentile axis gives every further nine the same room and ends at the slowest call. Straight lines between measured quantiles." + v.clockNote(),
		Legend:   v.keys(rows, true),
		Height:   draw.Lines(len(kinds), columns) * 220,
		Panels:   draw.Arrange(panels, columns),
	}
	for i := range f.Legend {
		f.Legend[i].Radius = 0
	}
	return f
}

// curve turns quantiles into marks at 1/(1-q). The largest sample, at q = 1,
// stands at the share that it is of all samples.
func curve(l results.Latency) []draw.Mark {
	var out []draw.Mark
	for _, q := range l.Quantiles {
		x := 1 / (1 - q.Q)
		if q.Q >= 1 {
			x = float64(l.Samples)
		}
		if q.NS > 0 && x >= 1 && (len(out) == 0 || x > out[len(out)-1].X) {
			out = append(out, draw.Mark{X: x, Y: q.NS})
		}
	}
	return out
}

// ninesTicks marks 50 %, 90 %, 99 % and so on, on an axis of 1/(1-q).
func ninesTicks() draw.Ticks {
	const mostNines = 18 // of a count of 64 bits
	values := []float64{2}
	for n := 1; n <= mostNines; n++ {
		values = append(values, math.Pow10(n))
	}
	return draw.TicksAt(values, func(x float64) string {
		switch n := int(math.Round(math.Log10(x))); {
		case x == 2:
			return "50"
		case n == 1:
			return "90"
		case n > 5:
			return fmt.Sprintf("%d nines", n)
		default:
			return strconv.FormatFloat(100-100/x, 'f', n-2, 64)
		}
	})
}
