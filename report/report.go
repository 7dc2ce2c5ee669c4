// Package report turns a results file into pictures and one page.
//
// Each picture answers one question. The page shows the pictures and
// their numbers in two forms: report.html is one self-contained file, to open in a
// browser, to print or to share; report.md shows the pictures of the folder
// report-charts, for repositories. Every structure has one color and one marker in all
// pictures. The same results give the same bytes.
//
// Package answer draws the conclusions from the results, package section makes the
// charts and tables of each question, and this package writes them. A table is made once,
// as values; package show renders it for the terminal, as Markdown and as HTML. Package
// draw renders figures: gonum/plot places axes, ticks and marks, and draw
// writes the SVG itself, because a page needs the names of structures and cells, colors
// that follow a dark page, and neither IDs nor inline styles.
//
// All times are in nanoseconds on the machine of the results. Costs are medians
// of rounds, and structures are compared in pairs, round by round. Package stats explains
// intervals and ties, and which structure is named.
package report

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/files"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/structures/entry"
)

// The names of the files and the folder that Write makes.
const (
	Page     = "report.md"
	HTMLPage = "report.html"
	Charts   = "report-charts"
)

// Write writes the pages and the charts to the folder dir, which it
// creates if it is missing. It replaces the pages and the charts of an earlier report; each
// page, and the folder of the charts, is written whole or not at all. It omits a chart
// without data, and the pages say so. It asks for the verdict of the kept runs if the results answer anything.
func Write(dir string, r *answer.Run, verdict func() (answer.Verdict, error)) error {
	v := section.NewView(r)
	sections := section.All(v)
	p, figures := newPage(v, sections, verdict), section.Figures(sections)
	if p.Map != nil {
		figures = append(figures, p.Map)
	}
	html, err1 := p.html()
	markdown, err2 := p.markdown()
	err := errors.Join(err1, err2)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = writeCharts(filepath.Join(dir, Charts), figures)
	}
	if err == nil {
		err = errors.Join(
			files.WriteBytes(filepath.Join(dir, Page), markdown), files.WriteBytes(filepath.Join(dir, HTMLPage), html))
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// writeCharts replaces the folder of the charts. Without charts it removes the folder.
func writeCharts(path string, figures []*draw.Figure) (err error) {
	if info, err := os.Lstat(path); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is no folder: want one that may be replaced, or none", path)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(path), "."+Charts+"-")
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, os.RemoveAll(fresh)) // it is gone if it was renamed
	}()
	for _, f := range figures {
		if err := os.WriteFile(filepath.Join(fresh, f.Name+".svg"), f.SVG(), 0o644); err != nil {
			return err
		}
	}
	if err := errors.Join(os.Chmod(fresh, 0o755), os.RemoveAll(path)); err != nil || len(figures) == 0 {
		return err
	}
	return os.Rename(fresh, path)
}

// Summary returns a table with a line for each cell: the fastest structures, and the next one. The last line counts how often each
// structure was the fastest. Summary returns the empty string without a measured cell.
func Summary(r *results.Run, structures []entry.Entry) string {
	ranked := answer.Of(r.Among(results.RoleExternal), structures)
	t := show.Table{Align: "lrrrlll", Header: []string{"workload", "n", "ns", "±", "per", "take", "fastest", "next"}}
	wins, warned := make(map[string]int), ""
	for _, c := range ranked.Cells {
		if len(c.Exact) == 0 {
			continue
		}
		best, tied := c.Cost(c.Fastest()), results.Names(c.Tied())
		next := show.Unknown
		if worse := c.Slower(); len(worse) > 0 {
			to := c.ToBest(worse[0])
			next = fmt.Sprintf("%s %sx ±%s", worse[0].Structure, show.Times(to.Center), show.Spread(to.Center, to.Lo, to.Hi))
		}
		for _, name := range tied {
			wins[name]++
		}
		named := c.Named()
		warnings := []string{c.Unsteady()}
		for _, row := range slices.Compact([]*results.Row{c.Fastest(), named}) {
			warnings = append(warnings, c.Cost(row).TwoGroups(row.Structure+" has rounds in "))
		}
		if warning := show.Joined("; ", warnings...); warning != "" {
			warned += fmt.Sprintf("%s, n %d: %s\n", c.Workload, c.N, warning)
		}
		t.Add(c.Workload, show.Grouped(c.N), show.Figure(best.Center), show.Spread(best.Center, best.Lo, best.Hi),
			string(c.Unit), named.Structure, show.Some(tied, 2), next)
	}
	if len(t.Rows) == 0 {
		return ""
	}
	most := slices.SortedFunc(maps.Keys(wins), func(a, b string) int {
		return cmp.Or(wins[b]-wins[a], strings.Compare(a, b))
	})
	var standings []string
	for _, name := range most[:min(3, len(most))] {
		standings = append(standings, fmt.Sprintf("%s %d", name, wins[name]))
	}
	return fmt.Sprintf("%s\nns: time of the fastest exact structure, ± its interval. Next: the first that does not tie, times the fastest's.\n"+
		"Take: %s, unless another is certainly faster. Fastest: more than one is a tie.\n"+
		"Fastest or tied with it, of %s: %s.\n%s", t.Terminal(), answer.Default, show.Count(len(t.Rows), "cell"), strings.Join(standings, ", "), warned)
}

// Costs returns a table with a line for each cell and structure: its cost, the interval, the rounds, and the ratio to the fastest of its
// group, with the loop and without it. Structures that fire late are a group of their own.
func Costs(r *results.Run, structures []entry.Entry) *show.Table {
	t := &show.Table{Align: "lrllrrrrrrl", Header: []string{"workload", "n", "per", "structure", "ns", "lo", "hi", "rounds", "ratio", "net", "groups"}}
	number := func(e stats.Estimate, of float64, write func(float64) string) any {
		if !e.OK() || math.IsInf(of, 0) {
			return nil
		}
		return show.Number(of, write(of))
	}
	for _, c := range answer.Of(r, structures).Cells {
		for _, row := range slices.Concat(c.Exact, c.Late) {
			name, cost, ratio, net := show.Name(row.Structure), c.Cost(row), c.ToBest(row), c.Net(row, c.Lead(row))
			if row.Coarse {
				name = name.With("late")
			}
			t.Add(c.Workload, c.N, string(c.Unit), name, number(cost, cost.Center, show.Figure), number(cost, cost.Lo, show.Figure), number(cost, cost.Hi, show.Figure),
				cost.Rounds, number(ratio, ratio.Center, show.Times), number(net, net.Center, show.Times), cost.TwoGroups(""))
		}
	}
	return t
}
