package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/report/internal/section"
)

// recorded are the results of a trace alone.
func recorded() *results.Run {
	r := fixture{structures: six, workloads: []string{"trace-shop"}, sizes: []int{700}, trials: 8}.results()
	r.Parameters.Traces = map[string]results.Recording{"trace-shop": {File: "shop.trace", Operations: 123_456}}
	r.Cells[0].Unit, r.Cells[0].Category = script.PerOperation, "recorded"
	r.Idle, r.Memory = nil, nil
	return r
}

// interrupted has a whole cell, one that has a part of its rows, and one that has none.
func interrupted() *results.Run {
	r := small().results()
	r.Complete, r.Idle, r.Memory = false, nil, nil
	r.Cells = r.Cells[:3]
	r.Cells[1].Rows = r.Cells[1].Rows[:2]
	r.Cells[2].Rows = nil
	return r
}

// Results that hold little give a page that says what is missing. Each of its charts shows something.
func TestPagesOfResultsThatHoldLittle(t *testing.T) {
	t.Parallel()
	version1, err := results.Read(filepath.Join("testdata", "version1.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	one := fixture{structures: []string{"hwheel"}, workloads: []string{"hold", "kafka-purgatory"}, sizes: []int{1000}, trials: 6}.results()
	single := tiny().results()
	for i := range single.Cells {
		for j := range single.Cells[i].Rows {
			row := &single.Cells[i].Rows[j]
			row.Cost, row.ByKind, row.Latency = row.Cost[:1], nil, nil
		}
	}
	for name, test := range map[string]struct {
		r      *results.Run
		want   []string
		charts bool
	}{
		"version 1": {version1, []string{
			"**Results of an older version.** They are of version 1, and this program writes version 3.",
			"**Some structures only.** Measured were 2 of ", ": quadheap and hwheel.", "**One instance of each structure.**",
		}, true},
		"one structure":       {one, []string{"**One structure.** Only hwheel was measured"}, true},
		"a trace alone":       {recorded(), []string{"**Traces only.**", "**Left out,** because", "cost against N", "the grid of distributions", "idle wake-ups"}, true},
		"interrupted":         {interrupted(), []string{"**This run was interrupted.**", "**Left out,** because", "the grid of distributions, idle wake-ups"}, true},
		"one trial":           {single, []string{"**Too few trials for intervals.**", "latency"}, true},
		"nothing":             {&results.Run{Version: results.Version, Complete: true}, []string{"**No costs.**", "`timerbench run`"}, false},
		"interrupted at once": {&results.Run{}, []string{"**This run was interrupted.**", "**No costs.**"}, false},
		"idle counts alone":   {&results.Run{Complete: true, Idle: small().results().Idle}, []string{"**No costs.**", "latency"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			known := testKnowledge(six)
			dir := t.TempDir()
			drawn := figures(section.NewView(writeTo(t, dir, test.r, known)))
			markdown, err1 := os.ReadFile(filepath.Join(dir, Page))
			html, err2 := os.ReadFile(filepath.Join(dir, HTMLPage))
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			page := readHTML(t, html)
			quotes := strings.Join(page.texts["blockquote"], "\n")
			for _, want := range test.want {
				if !strings.Contains(string(markdown), want) {
					t.Errorf("the Markdown does not say %q:\n%.4000s", want, markdown)
				}
				if plain := strings.NewReplacer("**", "", "`", "").Replace(want); !strings.Contains(quotes, plain) {
					t.Errorf("the HTML does not say %q but:\n%s", plain, quotes)
				}
			}
			for _, bad := range []string{"NaN", "Inf", "%!"} {
				if strings.Contains(string(markdown), bad) || slices.ContainsFunc(page.texts["td"], func(s string) bool { return strings.Contains(s, bad) }) {
					t.Errorf("the page says %s", bad)
				}
			}
			if (len(drawn) > 0) != test.charts || page.elements["figure"] != len(drawn) || len(filesIn(t, dir)) != 2*len(drawn)+2 {
				t.Errorf("%d charts, %d figures, %d files, want charts: %v", len(drawn), page.elements["figure"], len(filesIn(t, dir)), test.charts)
			}
			for _, f := range drawn {
				checkPNG(t, dir, f)
				checkSVG(t, dir, f)
			}
		})
	}
}

// A page of all structures and workloads has no gaps.
func TestWholeResultsHaveNoGaps(t *testing.T) {
	t.Parallel()
	v := viewOf(small().results(), testKnowledge(six))
	if gaps := gaps(v, section.All(v)); gaps != nil {
		t.Errorf("gaps: %q", gaps)
	}
}
