package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// curveChart shows the distribution of single calls up to the 99.9th percentile, as far as it is not
// that of the floor. The horizontal axis counts the nines of the percentile, so that the tail gets
// as much room as the rest. It is nil where the results hold no quantiles.
func (v *view) curveChart(c results.Cell) *draw.Figure {
	rows := v.latencyRows(c)
	shown := v.curves(rows)
	floor := v.rowIn(c, results.RoleFloor)
	var times, nines draw.Span
	curves := make(map[script.Kind]map[string][]draw.Mark)
	kinds := slices.DeleteFunc(kindsOf(c), func(kind script.Kind) bool {
		of, _ := latencyOf(floor, kind)
		curves[kind] = make(map[string][]draw.Mark)
		empty := true
		for _, who := range rows {
			row, _ := rowOf(c, who.name)
			l, _ := latencyOf(row, kind)
			marks := curve(l)
			if who.role != results.RoleFloor {
				marks = above(marks, curve(of))
			}
			empty = empty && !slices.ContainsFunc(marks, func(m draw.Mark) bool { return m.X >= slowCall })
			for _, m := range marks {
				times.Add(m.Y)
				nines.Add(m.X)
			}
			curves[kind][who.name] = marks
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
		p.LogY("", times, draw.LogTicks{Label: show.Duration, Most: 8})
		if i%columns > 0 {
			p.UnnamedY()
		}
		for _, who := range slices.Backward(rows) {
			p.Add(draw.Series{Look: v.looks[who.name], Radius: 2, Marks: curves[kind][who.name], OnDemand: !slices.Contains(shown, who)})
		}
		panels = append(panels, p)
	}
	return &draw.Figure{
		Name:     fmt.Sprintf("curve-%s-%d", c.Workload, c.N),
		Title:    fmt.Sprintf("How long do slow calls take? %s, N = %s", c.Workload, show.Short(float64(c.N))),
		Subtitle: "What it says: how long a call takes at most, for that share of all calls. Lower is better.",
		Caption: "What it does not say: which calls the slow ones are, and how long the slowest one in a thousand takes, since the operating system decides that. " +
			"Where a curve is missing, the structure is no slower than the floor, which is the harness alone. Both axes are logarithmic; straight lines between measured quantiles." + v.clockNote() + " " + v.choiceNote(rows),
		Legend: v.keys(shown, true),
		Height: draw.Lines(len(kinds), columns) * 220,
		Panels: draw.Arrange(panels, columns),
	}
}

// slowCall is where calls begin to be slow, at 1/(1-0.99). A kind of call of which nothing is
// measured there has no panel.
const slowCall = 100

// mostNines is where curves end, at 1/(1-0.999).
const mostNines = 1000

// curve turns quantiles into marks at 1/(1-q).
func curve(l results.Latency) []draw.Mark {
	var out []draw.Mark
	for _, q := range l.Quantiles {
		x := math.Round(1e6/(1-q.Q)) / 1e6 // 1-q is not exact
		if enough := x <= float64(l.Samples); q.NS > 0 && x >= 1 && x <= mostNines && enough && (len(out) == 0 || x > out[len(out)-1].X) {
			out = append(out, draw.Mark{X: x, Y: q.NS})
		}
	}
	if len(out) > 0 {
		last := &out[len(out)-1]
		last.Title = show.Duration(last.Y) + " at " + show.Percent(1-1/last.X)
	}
	return out
}

// above returns the marks that lie above the floor.
func above(marks, floor []draw.Mark) []draw.Mark {
	return slices.DeleteFunc(marks, func(m draw.Mark) bool {
		return slices.ContainsFunc(floor, func(f draw.Mark) bool { return f.X <= m.X && f.Y >= m.Y })
	})
}

// ninesTicks marks 50 %, 90 %, 99 % and so on, on an axis of 1/(1-q).
func ninesTicks() draw.Ticks {
	values := []float64{2}
	for x := 10.0; x <= mostNines; x *= 10 {
		values = append(values, x)
	}
	return draw.TicksAt(values, func(x float64) string {
		switch n := int(math.Round(math.Log10(x))); {
		case x == 2:
			return "50"
		case n == 1:
			return "90"
		default:
			return strconv.FormatFloat(100-100/x, 'f', n-2, 64)
		}
	})
}
