package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/atomicfile"
)

// measure runs cfg and prints a summary. It writes the results after each step,
// into the folder out, or into a new folder if out is empty.
func measure(ctx context.Context, cfg bench.Config, out string, stdout, stderr io.Writer) (err error) {
	if available, ok := availableMemory(); ok {
		if err := refuseTooLarge(ctx, cfg, available); err != nil {
			return err
		}
	}
	folder, err := openRunFolder(out, cfg.Profile.Name, time.Now())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.close()) }()
	cfg.Checkpoint = func(r *results.Run) error {
		folder.saved = true
		return save(folder.path, r)
	}
	printMachine(stderr)
	progress := newProgress(stderr)
	cfg.Progress = progress.show
	r, err := bench.Run(ctx, cfg)
	progress.end()
	summarize(stdout, r)
	switch {
	case r.Complete: // with an error if a structure broke its contract
		if err := folder.markLatest(); err != nil {
			fmt.Fprintln(stderr, "timerbench:", err)
		}
		fmt.Fprintf(stderr, "results are in %s; draw them with: %s\n", folder.results(), asTyped("report", folder.path))
	case errors.Is(err, context.Canceled) && folder.saved:
		fmt.Fprintf(stderr, "the steps that were finished are in %s\n", folder.results())
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "no step was finished, nothing is written")
	}
	return err
}

// save writes both forms of the results, each whole or not at all.
func save(dir string, r *results.Run) error {
	if err := results.Write(filepath.Join(dir, resultsFile), r); err != nil {
		return err
	}
	err := atomicfile.Write(filepath.Join(dir, benchfmtFile), func(w io.Writer) error { return results.WriteBenchfmt(w, r) })
	if err != nil {
		return fmt.Errorf("writing benchmark lines: %w", err)
	}
	return nil
}
