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
	"strings"
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
	binary, err := buildLayout(ctx, layout, temp)
	if err != nil {
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

// buildLayout builds this program with the code layout of a seed: from the sources in the
// working directory if that is in the module, or else from the released version that is
// running.
func buildLayout(ctx context.Context, seed int, dir string) (binary string, err error) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		return "", fmt.Errorf("--layouts builds the program anew and needs the Go toolchain: %w", err)
	}
	link := ab.LinkFlags(seed)
	binary = filepath.Join(dir, "timerbench")
	var cmd *exec.Cmd
	switch version := buildinfo.Read().Version; {
	case inModule(ctx, goTool):
		cmd = exec.CommandContext(ctx, goTool, "build", "-buildvcs=auto", link, "-o", binary, commandPath)
	case strings.HasPrefix(version, "v"):
		cmd = exec.CommandContext(ctx, goTool, "install", link, commandPath+"@"+version)
		cmd.Env = append(os.Environ(), "GOBIN="+dir)
	default:
		return "", fmt.Errorf("--layouts builds the program anew: run it in a folder of the sources of %s, or install a released version; this one is %s", modulePath, version)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("--layouts: %s: %w\n%s", cmd, err, out)
	}
	return binary, nil
}

// inModule reports whether the working directory is in the module of this program.
func inModule(ctx context.Context, goTool string) bool {
	out, err := exec.CommandContext(ctx, goTool, "list", "-m").Output()
	return err == nil && strings.TrimSpace(string(out)) == modulePath
}
