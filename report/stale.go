package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// chartsOf returns the paths of the charts that the page in a folder shows, if
// there is a page: the PNG of each and the SVG to which it links.
func chartsOf(dir string) []string {
	page, err := os.ReadFile(filepath.Join(dir, Page))
	if err != nil || !strings.HasPrefix(string(page), "# "+pageTitle+"\n") {
		return nil
	}
	var out []string
	doc := converter.Parser().Parse(text.NewReader(page))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if image, ok := n.(*ast.Image); ok && entering {
			png := string(image.Destination)
			if stem, ok := strings.CutSuffix(png, ".png"); ok && filepath.Base(png) == png {
				out = append(out, filepath.Join(dir, png), filepath.Join(dir, stem+".svg"))
			}
		}
		return ast.WalkContinue, nil
	})
	return out
}

// remove deletes the files that were not written anew.
func remove(before, written []string) error {
	var all error
	for _, path := range before {
		if slices.Contains(written, path) {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, fmt.Errorf("report: a chart of the former page: %w", err))
		}
	}
	return all
}
