package main

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/internal/doctest"
)

var update = flag.Bool("update", false, "write the kept run into docs/durable.md")

func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) != "" {
		main()
		return
	}
	flag.Parse()
	os.Exit(m.Run())
}

// Each system does all loads, and a kill of each kind, with few timers. durable loses nothing and fires nothing early, also
// over the kills; no timer that was cancelled comes back.
func TestSmallRun(t *testing.T) {
	for _, s := range systems() {
		t.Run(s.Name, func(t *testing.T) {
			ours := strings.HasPrefix(s.Name, "durable")
			if testing.Short() && s.Name != "durable" {
				t.Skip("it takes half a minute")
			}
			for _, name := range s.needs {
				if program(name) == "" {
					t.Skipf("%s is not installed", name)
				}
			}
			r := &result{system: s}
			if err := r.measure(t.Context(), 200, 200, 1); err != nil {
				t.Fatal(err)
			}
			if r.Stored.PerSecond <= 0 || r.Cancelled.PerSecond <= 0 || r.Fired.PerSecond <= 0 || r.Memory == 0 || r.Restart <= 0 {
				t.Errorf("something was not measured: %+v", r)
			}
			for _, l := range r.Rates {
				if ours && (l.Early > 0 || l.Missing > 0) {
					t.Errorf("%+v", l)
				}
			}
			for _, f := range r.Faults {
				if f.Set == 0 || ours && (f.Missing > 0 || f.Early > 0 || f.Back > 0) {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}

// A worker's report that a timer was lost, handled twice, early or after its cancel is counted.
func TestJudge(t *testing.T) {
	now := time.Now()
	s := &site{events: []event{{1, now, now}, {1, now, now}, {2, now, now.Add(-1)}, {3, now, now}}}
	var f faults
	s.judge(map[int]told{1: {set: true}, 2: {set: true}, 3: {set: true, cancelled: true}, 4: {set: true}, 5: {unsure: true}}, &f)
	if want := (faults{Set: 3, Cancelled: 1, Missing: 1, Early: 1, Twice: 1, Back: 1}); f != want {
		t.Errorf("%+v, want %+v", f, want)
	}
}

func TestTheKeptRunStandsInItsPage(t *testing.T) {
	data, err := os.ReadFile("../../docs/durable/results.json")
	if err != nil {
		t.Fatal(err)
	}
	var kept results
	if err := json.Unmarshal(data, &kept); err != nil || len(kept.Systems)+len(kept.Skipped) < len(systems()) {
		t.Fatalf("%d results, %v", len(kept.Systems), err)
	}
	doctest.Generated(t, *update, "../../docs/durable.md", "<!-- durable: written by make docs -->\n", "<!-- end of durable -->\n", kept.markdown())
}
