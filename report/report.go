// Package report turns a results file into pictures and one page.
//
// Each picture answers one question, in PNG and SVG. The page shows them, each
// followed by its numbers, in two forms: report.html is one file that needs no
// other, to open in a browser, to print or to pass on; report.md shows the
// pictures that lie beside it, for repositories. Every structure has one colour
// and one marker on all of them. The same results give the same bytes.
//
// All times are nanoseconds of the machine that made the results. Medians come
// with 95 % confidence intervals that hold the variation between instances.
// Structures are compared in pairs, round by round. Package stats explains how the
// set of the best is found, and what a tie is.
package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/scenario"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/atomicfile"
	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/structures/catalog"
)

// The names of the page that Write makes, in its two forms.
const (
	Page     = "report.md"
	HTMLPage = "report.html"
)

// Write makes all charts that the results hold data for, each as PNG and SVG,
// and the pages that show them, in the folder dir, which it creates when
// missing. Each file appears whole or not at all. A chart for which the
// results hold no data is left out, and the pages say so. Charts that only a
// former page in the folder shows are removed.
func Write(dir string, r *results.Run) error {
	_, err := Files(dir, r)
	return err
}

// Files is Write and returns the paths of the files written, the pages last.
func Files(dir string, r *results.Run) ([]string, error) {
	known := knowledge{workload: func(name string) (workload.Workload, bool) { return scenario.Find(r.Parameters.Scenarios, name) }}
	known.entries, known.structures = catalog.All(), catalogStructures()
	return files(dir, r, known, draw.DPI)
}

func files(dir string, r *results.Run, known knowledge, dpi int) ([]string, error) {
	if r == nil {
		return nil, errors.New("report: no results")
	}
	v := newView(r, known)
	sections := v.sections()
	var written []string
	save := func(name string, data []byte) error {
		path := filepath.Join(dir, name)
		if err := atomicfile.WriteBytes(path, data); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		written = append(written, path)
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	before := chartsOf(dir)
	for _, f := range charts(sections) {
		png, err := f.PNG(dpi)
		if err == nil {
			err = save(f.Name+".png", png)
		}
		if err != nil {
			return written, err
		}
		if err := save(f.Name+".svg", f.SVG()); err != nil {
			return written, err
		}
	}
	page := v.page(sections)
	if err := save(Page, []byte(page.markdown())); err != nil {
		return written, err
	}
	html, err := page.html()
	if err != nil {
		return written, err
	}
	if err := save(HTMLPage, html); err != nil {
		return written, err
	}
	return written, remove(before, written)
}
