package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/report/internal/timeline"
	"github.com/timerbench/timerbench/structures/catalog"
)

// What the timelines follow (chosen): the hold model, whose uniform delays of up to 60,000
// ticks reach over three levels of the usual wheels, and a window in which the clock
// passes tick 65,536, where such a wheel empties a slot of level 2.
const (
	timelineWorkload = "hold"
	timelineTimers   = 4000
	timelineSeed     = 1
)

var timelineWindow = timeline.Window{From: 1<<16 - 6144, Width: 64, Bins: 192}

var timelineHue = draw.Hex("2f80ed")

// timelineSteps are the colours of counts: of one hue, so that the eye orders them and no
// reader needs to tell hues apart. The fewer, the more of the background shows.
var timelineSteps = []draw.Step{
	{To: 0, Name: "none", Color: draw.Shade},
	{To: 3, Name: "1 to 3", Color: draw.Pale(timelineHue, 0.75)},
	{To: 10, Name: "to 10", Color: draw.Pale(timelineHue, 0.62)},
	{To: 30, Name: "to 30", Color: draw.Pale(timelineHue, 0.5)},
	{To: 100, Name: "to 100", Color: draw.Pale(timelineHue, 0.38)},
	{To: 300, Name: "to 300", Color: draw.Pale(timelineHue, 0.25)},
	{To: 1000, Name: "to 1000", Color: draw.Pale(timelineHue, 0.13)},
	{To: math.Inf(1), Name: "more", Color: draw.Pale(timelineHue, 0)},
}

// wheelTimeline says why single calls of a wheel take long.
func wheelTimeline(v *view) section {
	return section{
		title:  "Which calls of a wheel do much work at once?",
		charts: []*draw.Figure{v.timelineChart()},
		caption: "A wheel that cascades moves a whole slot of timers in one call of `Pop`: a strong field in the first row, at the tick at " +
			"which a level above loses what a level below gains. Such calls make the tail of the latencies long. " +
			"It is one workload at one size; other delays cascade at other ticks. " +
			"Timers that wait in a buffer, or are about to fire, are in no row.",
	}
}

// timelineChart follows each wheel of the results through the same stretch of virtual time.
// Nil: the results have no wheel.
func (v *view) timelineChart() *draw.Figure {
	w, ok := workload.Find(timelineWorkload)
	wheels := slices.DeleteFunc(v.explained(), func(e catalog.Entry) bool { return e.Family != catalog.Wheels })
	if !ok || len(wheels) == 0 {
		return nil
	}
	window := timelineWindow
	s := draw.Strips{From: float64(window.From), To: float64(window.To()), Steps: timelineSteps}
	for _, e := range wheels {
		t := timeline.Of(e.New(), w, timelineTimers, timelineSeed, window)
		s.Rows = append(s.Rows, draw.Strip{Name: e.Name, Look: v.looks[e.Name]})
		for _, r := range append([]timeline.Row{t.Moved, t.Visited}, t.Held...) {
			s.Rows = append(s.Rows, draw.Strip{Name: r.Name, Values: r.Values})
		}
	}
	var at []float64
	for tick := window.From; tick <= window.To(); tick += 2048 {
		at = append(at, float64(tick))
	}
	return &draw.Figure{
		Name: "timeline",
		Subtitle: fmt.Sprintf("What it says: the workload %s with %s timers, over %s ticks. For each wheel: how many timers a single call moved or passed and how many slots it visited, "+
			"the most of any call; below that, where the timers are, level by level.", timelineWorkload, count(timelineTimers), count(int64(window.To()-window.From))),
		Caption: fmt.Sprintf("What it does not say: how long a call takes. Exact counts, the same on any machine; a field is %d ticks.", window.Width),
		Legend:  s.Legend(),
		Height:  s.Height(),
		Panels:  [][]*draw.Panel{{s.Panel("virtual time, in ticks", draw.TicksAt(at, func(t float64) string { return count(int64(t)) }))}},
	}
}
