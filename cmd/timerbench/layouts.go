package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/ab"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/runs"
	"github.com/timerbench/timerbench/internal/buildinfo"
)

const (
	modulePath  = "github.com/timerbench/timerbench"
	commandPath = modulePath + "/cmd/timerbench"
)

// measureLayouts builds the program with each code layout, lets each of the builds run
// cfg, one after the other, and merges the results. It writes them after each layout.
// Resuming keeps the layouts that are done, and goes on within the one that was
// interrupted.
func measureLayouts(ctx context.Context, cfg bench.Config, flags []string, folder *runs.Folder, stderr io.Writer) (*results.Run, error) {
	var done []results.Named
	var merged *results.Run
	var failures error
	for layout := 1; layout <= cfg.Layouts; layout++ {
		dir := filepath.Join(folder.Path, runs.Layouts, strconv.Itoa(layout))
		r, err := results.Read(filepath.Join(dir, runs.Results))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return merged, err
		}
		if err != nil || !r.Complete {
			if r, failures, err = runLayout(ctx, cfg, flags, layout, dir, stderr); err != nil {
				return merged, err
			}
		}
		done = append(done, results.Named{Name: dir, Run: r})
		if merged, err = results.MergeLayouts(done); err != nil {
			return nil, err
		}
		merged.Parameters.Budget, merged.Command = cfg.Budget.Seconds(), cfg.Command
		build := buildinfo.Read() // the layouts are builds of this program
		merged.Environment.Version, merged.Environment.Revision = build.Version, build.Revision
		merged.Complete = merged.Complete && layout == cfg.Layouts
		folder.Saved = true
		if err := runs.Save(folder.Path, merged); err != nil {
			return merged, err
		}
	}
	return merged, failures
}

// runLayout builds the program with a layout and runs it. Failures are structures that
// broke their contract; the results are complete then too.
func runLayout(ctx context.Context, cfg bench.Config, flags []string, layout int, dir string, stderr io.Writer) (r *results.Run, failures, err error) {
	temp, err := os.MkdirTemp("", "timerbench-layout-")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	binary := filepath.Join(temp, "timerbench")
	if err := buildLayout(ctx, layout, binary); err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(stderr, "layout %d of %d\n", layout, cfg.Layouts)
	args := append([]string{"run"}, flags...)
	args = append(args, "--layout", strconv.Itoa(layout), "--out", dir, "--resume", "--budget", (cfg.Budget / time.Duration(cfg.Layouts)).String())
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it keeps what is finished
	cmd.Stderr = stderr
	ended := cmd.Run()
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	r, err = results.Read(filepath.Join(dir, runs.Results))
	if err != nil || !r.Complete {
		return nil, nil, errors.Join(fmt.Errorf("layout %d: %w", layout, ended), err)
	}
	for _, f := range r.Failures {
		failures = errors.Join(failures, f)
	}
	return r, failures, nil
}

// buildLayout builds this program with the code layout of a seed, from the sources in the working
// directory.
func buildLayout(ctx context.Context, seed int, binary string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=auto", ab.LinkFlags(seed), "-o", binary, commandPath)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("--layouts builds the program anew: it takes the Go toolchain and a folder of the sources of %s: %w\n%s",
			modulePath, err, out)
	}
	return nil
}
