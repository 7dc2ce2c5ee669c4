package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	docs "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/report/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/report/internal/section"
)

// The pictures of latency and of idle ticks hold the six structures that most timers stand on, and auto, in
// every panel: the kept run, and counts of both drivers.
func TestTheTwoPicturesHoldTheSixStructures(t *testing.T) {
	t.Parallel()
	kept, err := docs.Last()
	if err != nil {
		t.Fatal(err)
	}
	classics := append(slices.Clone(six), "auto")
	counted := &results.Run{}
	for _, name := range classics {
		for _, d := range []results.Driver{results.Ticking, results.Tickless} {
			for _, delays := range []string{"uniform", "clustered"} {
				counted.Idle = append(counted.Idle, results.Idle{Workload: "hold", Distribution: delays, N: 1000, Structure: name,
					Driver: d, Ticks: 1000, Wakeups: 500, Fired: 10, Empty: 400, Moved: 80, Dropped: 10})
			}
		}
	}
	kept.Idle = counted.Idle
	for name, panels := range map[string]int{"latency": 16, "idle-ticks": 4} {
		f := chartsNamed(t, section.NewView(analysis.Of(kept)), name)[0]
		found := 0
		for _, p := range f.Panels {
			if p == nil {
				continue
			}
			found++
			marks := make(map[string]int)
			for _, m := range p.Marks {
				switch m := m.(type) {
				case draw.Series:
					marks[m.Style.Structure] += len(m.Marks)
				case draw.Bar:
					marks[m.Style.Structure] += 2
				}
			}
			for _, structure := range classics {
				if marks[structure] < 2 {
					t.Errorf("%s, %s, %s: %s has %d marks", name, p.Title, p.XLabel, structure, marks[structure])
				}
			}
		}
		if found != panels {
			t.Errorf("%s has %d panels, want %d", name, found, panels)
		}
		if svg := string(f.SVG()); name == "idle-ticks" && !strings.Contains(svg, "49 per fired timer, 40 empty") {
			t.Errorf("%s does not say its figures: %s", name, svg)
		}
	}
}
