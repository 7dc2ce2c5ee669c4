// What commands print while they work and where they write: the progress of a run, and files and folders that flags name, which are tried
// before a long measurement and not after it.

package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/internal/files"
	"github.com/timerbench/timerbench/internal/show"
)

// progress shows the progress of a run: on a terminal a bar with the remaining time, elsewhere one line per step.
type progress struct {
	out     io.Writer
	started time.Time
	bar     *progressbar.ProgressBar // nil: lines
	last    int                      // step of the last line
	said    time.Time                // time of the last line
}

// parts is the resolution of the bar.
const parts = 10_000

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, started: time.Now()}
	if f, ok := raw(out).(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(parts,
			progressbar.OptionSetWriter(f),
			progressbar.OptionSetPredictTime(false), // bench.Progress has the weights
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionFullWidth(),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

func (p *progress) show(at bench.Progress) {
	elapsed, left := time.Since(p.started), ""
	if at.Done >= at.Total/50 && at.Name != "" {
		rest := time.Duration(float64(elapsed) * (at.Total - at.Done) / at.Done)
		left = fmt.Sprintf(" so far, about %s left", rest.Round(time.Second))
	}
	line := fmt.Sprintf("[%d/%d] %s (%s%s)", at.Step, at.Steps, show.Safe(at.Name), elapsed.Round(time.Second), left)
	const between = 5 * time.Second // shortest time between two lines of one step
	switch {
	case p.bar != nil:
		p.bar.Describe(line)
		_ = p.bar.Set(int(parts * min(1, at.Done/at.Total)))
	case at.Name != "" && (at.Step != p.last || time.Since(p.said) >= between):
		p.last, p.said = at.Step, time.Now()
		fmt.Fprintln(p.out, line)
	}
}

// step shows the progress of steps of equal length.
func (p *progress) step(done, all int, name string) {
	p.show(bench.Progress{Step: min(done+1, all), Steps: all, Name: name, Done: float64(done), Total: float64(all)})
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// Help texts of flags that name files.
const (
	newFolder = "`folder` for the results (default: a new one in " + store.Parent + "/"
	outHelp   = newFolder + ", to which " + latest + " then points)"
)

// latest is the link to the last run.
const latest = store.Parent + "/" + store.Latest

// writableFolder creates the folder of --out, and returns an error if no file can be created in it.
func writableFolder(path string) error {
	if err := files.WritableFolder(path); err != nil {
		return fmt.Errorf("--out %w", files.Error(path, "a folder", err))
	}
	return nil
}

// openFolder opens the folder of a run: that of --out, or a new one.
func openFolder(out, what string, resume bool) (*store.Folder, error) {
	folder, err := store.OpenFolder(out, what, time.Now(), resume)
	if err != nil && out != "" {
		return nil, fmt.Errorf("--out %w", err)
	}
	return folder, err
}

func announce(stderr io.Writer, folder *store.Folder) {
	fmt.Fprintf(stderr, "results are in %s; draw them with: %s\n", folder.Results(), asTyped("report", folder.Path))
}
