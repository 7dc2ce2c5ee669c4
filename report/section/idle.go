// Ticks on which nothing fires. Most ticks of a program are idle, so a driver pays for what a structure does on them: how many there are, what
// one costs, and whether a driver that sleeps until the next deadline wakes in vain.

package section

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
)

func idle(v *View) Section {
	return Section{
		Title:  "How often does a structure wake up for nothing?",
		Absent: "idle ticks",
		Charts: []*draw.Figure{v.idleTicksChart()},
		Open:   true,
	}
}

// lateness has the coarse structures, with uniform delays.
func lateness(v *View) Section {
	t := newTable("lr", "Structure", "N", "Mean, ticks", "p99, ticks", "Max, ticks", "Mean, of the delay", "p99, of the delay", "Max, of the delay")
	for _, i := range v.IdleTicks {
		for _, s := range i.Structures {
			if l := s.Lateness; l != nil {
				t.Add(show.Name(s.Structure), size(i.N), l.Mean, l.P99, l.Max, percent(l.MeanShare), percent(l.P99Share), percent(l.MaxShare))
			}
		}
	}
	return Section{
		Title: "How late do coarse structures fire?",
		Lead: show.Para("A coarse structure rounds deadlines up. It fires late, never early, and within its declared bound, which " +
			"was checked for every timer. All other structures fire at the exact tick. The driver is tickless, and delays are uniform."),
		Tables: []Table{{Body: show.Tables(t)}},
	}
}

// The lines of the picture of idle ticks that are no structures.
var (
	shapeLines = []struct {
		shape results.Shape
		draw.Style
	}{
		{results.Uniform, draw.Style{Name: "uniform delays", Color: draw.Hex("3660d5")}},
		{results.Clustered, draw.Style{Name: "clustered delays", Color: draw.Hex("d47000"), Dashes: dashes}},
		{results.RoundTimes, draw.Style{Name: "on round times", Color: draw.Hex("ad49ac")}},
	}
	flatLine = draw.Style{Name: "flat wheel", Color: draw.Ink, Dashes: dashes}
)

// idleNames are the structures of the picture beyond the classics: one for each other kind of work in vain.
var idleNames = []string{answer.Default, "hwheel-list", "quadheap-lazy", "list"}

// idleTicksChart shows the ticks on which nothing fires over N: their share, their cost, what structures touch in vain, and the idle
// wake-ups of a driver that sleeps in between. Nil: nothing was counted.
func (v *View) idleTicksChart() *draw.Figure {
	if !slices.ContainsFunc(v.IdleTicks, func(i results.IdleTicks) bool { return i.Fired > 0 && i.Ticks > 0 }) {
		return nil
	}
	sizes := distinct(mapped(v.IdleTicks, func(i results.IdleTicks) int { return i.N }))
	f := &draw.Figure{
		Name:     "idle-ticks",
		Title:    idleFinding(v.IdleTicks),
		Subtitle: "Delays of 30 s on average at a tick of 1 ms, by the number of pending timers. A ticking driver wakes at every tick, a tickless driver at the tick that Next returns.",
		Caption: "Clustered delays leave as many idle ticks as uniform ones because timers that start at spread times fall due at spread times, whatever the shape " +
			"of their delays; deadlines on round times (periods of 10 s to 1 h that began together) fall due together. All structures have the same idle ticks. " +
			"Touched in vain, with half of the timers cancelled: timers that cascade, stale entries that are dropped, comparisons in scans of list. auto scans a few timers as list does, " +
			"which is not counted. Other structures that are not in that panel touch none. " +
			// A test of package replay simulates it.
			"The line of a flat wheel is computed from the script: the rounds of a classical one of 1,000 slots. wheel has none, because it keeps its next deadline.",
		X: draw.Axis{Ticks: draw.TicksAt(sizes, show.Short), Low: 1.3, High: roomForNames(sizes, 0.42)}, Columns: 2, Height: 205,
	}
	share := &draw.Panel{Title: "Ticks on which nothing fires", YLabel: "share of all ticks",
		Y: &draw.Axis{Ticks: draw.LinearTicks(show.Percent), Linear: true, Also: []float64{1}, High: 1.05}}
	for _, l := range shapeLines {
		v.addLine(share, l.shape, l.Style, func(i results.IdleTicks) float64 { return float64(i.Idle) / float64(i.Ticks) }, show.Percent)
	}
	time := &draw.Panel{Title: "What an idle tick costs", YLabel: "time of a tick",
		Y: &draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 6}, Low: 1.2, High: 1.2}}
	vain := &draw.Panel{Title: "Touched in vain for each fired timer", YLabel: "timers and entries",
		Y: &draw.Axis{Ticks: draw.LogTicks{Label: show.Figure, Most: 6}, Low: 1.4, High: 1.4}}
	sleep := &draw.Panel{Title: "Idle wake-ups of a tickless driver", YLabel: "for each fired timer",
		Y: &draw.Axis{Ticks: draw.LinearTicks(show.Figure), Linear: true, Also: []float64{0.1}, High: 1.08}}
	v.addLine(vain, results.HalfCancelled, flatLine, func(i results.IdleTicks) float64 { return float64(i.FlatRounds) / float64(i.Fired) }, show.Figure)
	for _, who := range v.Present(func(who answer.RowName) bool {
		return who.IsStructure() && (slices.Contains(answer.Classics, who.Name) || slices.Contains(idleNames, who.Name))
	}) {
		of := func(value func(results.IdleTicks, results.IdleTickOf) float64) func(results.IdleTicks) float64 {
			return func(i results.IdleTicks) float64 {
				at := slices.IndexFunc(i.Structures, func(s results.IdleTickOf) bool { return s.Structure == who.Name })
				if at < 0 {
					return math.NaN()
				}
				return value(i, i.Structures[at])
			}
		}
		if slices.Contains(answer.Classics, who.Name) {
			v.addLine(time, results.Uniform, v.Styles[who.Name], of(func(_ results.IdleTicks, s results.IdleTickOf) float64 { return positive(s.NS) }), show.Duration)
		}
		v.addLine(vain, results.HalfCancelled, v.Styles[who.Name], of(func(i results.IdleTicks, s results.IdleTickOf) float64 {
			return positive(float64(s.Vain) / float64(i.Fired))
		}), show.Figure)
		v.addLine(sleep, results.Uniform, v.Styles[who.Name], of(func(i results.IdleTicks, s results.IdleTickOf) float64 {
			return float64(s.Wakeups) / float64(i.Fired)
		}), show.Figure)
	}
	sleep.Marks = idleAtAll(sleep.Marks)
	for _, p := range []*draw.Panel{share, time, vain, sleep} {
		if !slices.ContainsFunc(p.Marks, func(m draw.Marks) bool {
			return slices.ContainsFunc(m.(draw.Series).Marks, func(m draw.Mark) bool { return m.Y > 0 })
		}) {
			continue // nothing was measured, or all of it is 0
		}
		p.XLabel, p.Marks = "pending timers (N)", append(p.Marks, endsOf(p.Marks))
		f.Panels = append(f.Panels, p)
	}
	return f
}

func positive(x float64) float64 {
	if x > 0 {
		return x
	}
	return math.NaN()
}

// addLine adds the values of a shape over N that are known.
func (v *View) addLine(p *draw.Panel, shape results.Shape, style draw.Style, value func(results.IdleTicks) float64, write func(float64) string) {
	all := slices.DeleteFunc(slices.Clone(v.IdleTicks), func(i results.IdleTicks) bool { return i.Shape != shape || i.Fired == 0 })
	slices.SortFunc(all, func(a, b results.IdleTicks) int { return cmp.Compare(a.N, b.N) })
	if l := line(style, all, func(i results.IdleTicks) (int, float64) { return i.N, value(i) }, write); len(l.Marks) > 0 {
		l.Thick = l.Thick || style.Name == shapeLines[0].Name
		p.Marks = append(p.Marks, l)
	}
}

// idleAtAll removes the lines that are 0 everywhere, and adds them as one.
func idleAtAll(lines []draw.Marks) []draw.Marks {
	var zero *draw.Series
	out := slices.DeleteFunc(slices.Clone(lines), func(m draw.Marks) bool {
		line := m.(draw.Series)
		none := !slices.ContainsFunc(line.Marks, func(m draw.Mark) bool { return m.Y > 0 })
		if none && (zero == nil || len(line.Marks) > len(zero.Marks)) {
			line.Style, line.Radius, line.Thick = draw.Style{Name: "all others: none", Color: draw.Faded}, 0, false
			zero = &line
		}
		return none
	})
	if zero != nil {
		out = append(out, *zero)
	}
	return out
}

// idleFinding says on how many ticks nothing fires with a thousand timers or as near as was measured.
func idleFinding(all []results.IdleTicks) string {
	of := slices.DeleteFunc(slices.Clone(all), func(i results.IdleTicks) bool { return i.Shape != results.Uniform || i.Ticks == 0 })
	if len(of) == 0 {
		return ""
	}
	far := func(i results.IdleTicks) float64 { return math.Abs(math.Log(float64(i.N) / 1000)) }
	i := slices.MinFunc(of, func(a, b results.IdleTicks) int { return cmp.Compare(far(a), far(b)) })
	return fmt.Sprintf("Among %s timers nothing fires on %s of the ticks", show.Grouped(i.N), show.Percent(float64(i.Idle)/float64(i.Ticks)))
}
