package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/timerbench/timerbench/bench"
)

// progress shows how far a run is: a bar with the time left on a terminal, one
// line per step elsewhere.
type progress struct {
	out     io.Writer
	started time.Time
	bar     *progressbar.ProgressBar // nil: lines
}

// parts is the resolution of the bar.
const parts = 10_000

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, started: time.Now()}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(parts,
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetPredictTime(false), // ours goes by weight
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionFullWidth(),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

func (p *progress) show(at bench.Progress) {
	step := min(at.Step+1, at.Steps) // racing comes after the steps
	left := fmt.Sprintf(" (%s%s)", time.Since(p.started).Round(time.Second), p.left(at))
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("[%d/%d] %s%s", step, at.Steps, at.Name, left))
		_ = p.bar.Set(int(parts * at.Done / at.Total))
		return
	}
	if at.Name != "" {
		fmt.Fprintf(p.out, "[%d/%d] %s%s\n", step, at.Steps, at.Name, left)
	}
}

// left extrapolates from the part that is done.
func (p *progress) left(at bench.Progress) string {
	if at.Done < at.Total/50 || at.Name == "" {
		return ""
	}
	elapsed := time.Since(p.started)
	left := time.Duration(float64(elapsed) * (at.Total - at.Done) / at.Done)
	return fmt.Sprintf(" so far, about %s left", left.Round(time.Second))
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
