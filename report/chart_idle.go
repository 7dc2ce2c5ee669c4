package report

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/timerbench/timerbench/bench/results"
)

// cause is why a wake-up fired nothing.
type cause struct {
	name  string
	of    func(results.Idle) uint64
	white float64 // how far its shade goes to white
}

var causes = []cause{
	{"only dropped stale entries", func(i results.Idle) uint64 { return i.Dropped }, 0},
	{"only moved timers", func(i results.Idle) uint64 { return i.Moved }, 0.38},
	{"empty: nothing was done", func(i results.Idle) uint64 { return i.Empty }, 0.72},
}

// scene is what the structures were idle in: rows of different scenes cannot be
// compared.
type scene struct {
	workload, distribution string
	n                      int
}

func (s scene) String() string {
	var parts []string
	for _, p := range []string{s.workload, s.distribution} {
		if p != "" && !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	return fmt.Sprintf("%s, N = %s", strings.Join(parts, ", "), short(float64(s.n)))
}

// scenes in the order of the results.
func (v *view) scenes() []scene {
	var out []scene
	for _, i := range v.r.Idle {
		if s := (scene{i.Workload, i.Distribution, i.N}); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// drivers in the order of charts: the one that wakes most first.
func (v *view) drivers() []results.Driver {
	var out []results.Driver
	for _, i := range v.r.Idle {
		if !slices.Contains(out, i.Driver) {
			out = append(out, i.Driver)
		}
	}
	order := map[results.Driver]int{results.Ticking: -2, results.Tickless: -1}
	slices.SortStableFunc(out, func(a, b results.Driver) int { return cmp.Compare(order[a], order[b]) })
	return out
}

func (v *view) idle(s scene, d results.Driver, structure string) (results.Idle, bool) {
	for _, i := range v.r.Idle {
		if i.Workload == s.workload && i.Distribution == s.distribution && i.N == s.n &&
			i.Driver == d && i.Structure == structure {
			return i, true
		}
	}
	return results.Idle{}, false
}

// idleRows are the contenders of the idle analysis.
func (v *view) idleRows() []contender {
	return v.present(func(who contender) bool {
		return slices.ContainsFunc(v.r.Idle, func(i results.Idle) bool { return i.Structure == who.name })
	})
}

// idleChart shows the share of wake-ups on which nothing fires, by cause: a
// column of panels for each driver, a row of panels for each distribution at its
// largest N. Shares and not counts, so that the axis is linear and a stack adds
// up; the counts, zeros too, stand beside the bars. Nil: nothing was counted.
func (v *view) idleChart() *figure {
	rows, drivers := v.idleRows(), v.drivers()
	if len(rows) == 0 {
		return nil
	}
	var scenes []scene
	for _, s := range v.scenes() {
		same := func(o scene) bool { return o.workload == s.workload && o.distribution == s.distribution }
		if i := slices.IndexFunc(scenes, same); i < 0 {
			scenes = append(scenes, s)
		} else if s.n > scenes[i].n {
			scenes[i] = s
		}
	}
	f := &figure{
		name:     "idle",
		title:    "How often does a structure wake up for nothing?",
		subtitle: "Idle wake-ups (on which no timer fires) as a share of all wake-ups, split by cause. Lower (shorter) is better.",
		caption: "Exact counts, the same on any machine. A ticking driver wakes at every tick, a tickless one at the tick that Next names. " +
			"Numbers: idle wake-ups of all wake-ups; a structure without a bar had none.",
		height: vg.Length(len(scenes)) * (rowsHeight(len(rows)) + 6),
	}
	for _, c := range causes {
		f.legend = append(f.legend, key{text: c.name, swatch: mix(faded, c.white)})
	}
	for _, s := range scenes {
		var line []*plot.Plot
		for col, d := range drivers {
			p := newPanel(fmt.Sprintf("%s driver: %s", d, s))
			p.X.Min, p.X.Max = 0, 1.42
			p.X.Tick.Marker = plot.ConstantTicks{
				{Value: 0, Label: "0"}, {Value: 0.25, Label: "25 %"}, {Value: 0.5, Label: "50 %"},
				{Value: 0.75, Label: "75 %"}, {Value: 1, Label: "100 %"},
			}
			p.X.Label.Text = "idle wake-ups as a share of all wake-ups"
			rowsAxis(p, names(rows), col == 0)
			for i, who := range rows {
				counts, ok := v.idle(s, d, who.name)
				if !ok {
					p.Add(bar{at: rowAt(i, len(rows)), label: "not counted", labelAt: 1.4})
					continue
				}
				p.Add(idleBar(counts, rowAt(i, len(rows)), v.looks[who.name].color))
			}
			line = append(line, p)
		}
		f.panels = append(f.panels, line)
	}
	return f
}

func idleBar(counts results.Idle, at float64, col color.Color) bar {
	b := bar{at: at, labelAt: 1.4,
		label: short(float64(counts.Total())) + " of " + short(float64(counts.Wakeups))}
	if counts.Wakeups == 0 {
		return b
	}
	for _, c := range causes {
		b.parts = append(b.parts, part{float64(c.of(counts)) / float64(counts.Wakeups), mix(col, c.white)})
	}
	return b
}
