// Package report turns a results file into pictures and one page.
//
// Each picture answers one question, in PNG and SVG. The page shows them, each
// followed by its numbers, in two forms: report.html is one file that needs no
// other, to open in a browser, to print or to pass on; report.md shows the
// pictures in the folder report-charts beside it, for repositories. Every structure
// has one colour and one marker on all of them. The same results give the same bytes.
//
// Package analysis says what follows from the results, package section holds the
// questions with their charts and tables, and this package writes them out. Package
// draw draws: gonum/plot places axes, ticks and marks and renders the PNG; the SVG
// is written by draw itself, because it carries what a page needs and gonum's cannot:
// the names of structures and cells, colours that follow a dark page, no ID and no
// style that a strict policy forbids.
//
// All times are nanoseconds of the machine that made the results. Costs come
// with 95 % confidence intervals that hold the variation between instances.
// Structures are compared in pairs, round by round, and a printed cost is that of the
// reference of its cell times this ratio. Package stats explains how the
// set of the best is found, and what a tie is.
package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/atomicfile"
	"github.com/timerbench/timerbench/report/internal/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/report/internal/section"
)

// The names of the page that Write makes, in its two forms, and of the folder of its charts.
const (
	Page     = "report.md"
	HTMLPage = "report.html"
	Charts   = "report-charts"
)

// Write makes all charts that the results hold data for, each as PNG and SVG,
// and the pages that show them, in the folder dir, which it creates when
// missing. Each page, and the folder of the charts, appears whole or not at all,
// and replaces that of a former report. A chart for which the results hold no data
// is left out, and the pages say so.
func Write(dir string, r *results.Run) error {
	if r == nil {
		return errors.New("report: no results")
	}
	return write(dir, analysis.Of(r), draw.DPI)
}

// HTML makes the page that Write writes as HTML, alone.
func HTML(r *results.Run) ([]byte, error) {
	v := section.NewView(analysis.Of(r))
	return newPage(v, section.All(v)).html()
}

func write(dir string, r *analysis.Run, dpi int) error {
	v := section.NewView(r)
	sections := section.All(v)
	return newPage(v, sections).write(dir, func() error {
		return writeCharts(filepath.Join(dir, Charts), section.Figures(sections), dpi)
	})
}

func (p *page) write(dir string, charts func() error) error {
	html, err1 := p.html()
	markdown, err2 := p.markdown()
	err := errors.Join(err1, err2)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = charts()
	}
	if err == nil {
		err = errors.Join(
			atomicfile.WriteBytes(filepath.Join(dir, Page), markdown), atomicfile.WriteBytes(filepath.Join(dir, HTMLPage), html))
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// writeCharts replaces the folder of the charts by a fresh one. Without charts there is none.
func writeCharts(path string, figures []*draw.Figure, dpi int) (err error) {
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
		png, err := f.PNG(dpi)
		if err != nil {
			return err
		}
		for ext, data := range map[string][]byte{".png": png, ".svg": f.SVG()} {
			if err := os.WriteFile(filepath.Join(fresh, f.Name+ext), data, 0o644); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(os.Chmod(fresh, 0o755), os.RemoveAll(path)); err != nil || len(figures) == 0 {
		return err
	}
	return os.Rename(fresh, path)
}
