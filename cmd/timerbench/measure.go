package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/doctor"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/runs"
)

// target says where a run goes.
type target struct {
	folder string // empty: a new one
	memory uint64 // most bytes to take; 0: what is available
	resume bool   // go on with the run in it
	json   string // a further file of the results; empty: none; -: the standard output
}

// measure runs cfg and prints a summary. It writes the results after each step.
func measure(cmd *cobra.Command, cfg bench.Config, to target) (err error) {
	ctx, stdout, stderr := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	available, _ := doctor.Here().AvailableMemory() // 0 where the system does not say
	if to.memory > 0 && (available == 0 || to.memory < available) {
		available = to.memory
	}
	if available > 0 {
		cfg.Memory = available
		// Measuring holds the collector back, and garbage must not take what is not there.
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(available)))
	}
	if err := writable("json", to.json); err != nil {
		return err
	}
	folder, err := openFolder(to.folder, cfg.Profile.Name, to.resume)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	if to.resume {
		if err := resume(&cfg, folder, stderr); err != nil {
			return err
		}
	}
	printMachine(stderr)
	r, err := measureHere(ctx, cfg, folder, stderr)
	if r == nil {
		return err
	}
	switch {
	case to.json == "-":
		summarize(stderr, r)
	case cfg.Turns == nil: // the session of turns listens to the standard output
		summarize(stdout, r)
	}
	if folder.Saved {
		err = errors.Join(err,
			writeTo("json", to.json, stdout,
				func(w io.Writer) error { return results.Encode(w, r) }))
	}
	if r.Complete && len(r.Cells)+len(r.Calls) == 0 && cfg.Budget > 0 {
		err = errors.Join(err, fmt.Errorf("--budget %s: too short for any cell, nothing was measured", cfg.Budget))
	}
	switch {
	case r.Complete && folder.Saved: // with an error if a structure broke its contract
		if err := folder.MarkLatest(); err != nil {
			fmt.Fprintln(stderr, "timerbench:", err)
		}
		announce(stderr, folder)
	case folder.Saved:
		fmt.Fprintf(stderr,
			"the steps that were finished are in %s; to go on, add to the same flags: --resume --out %s\n", folder.Results(), folder.Path)
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "no step was finished, nothing is written")
	}
	return err
}

// resume makes cfg go on with the interrupted run in the folder, if there is one. It returns an
// error if that was not a run of this configuration.
func resume(cfg *bench.Config, folder *runs.Folder, stderr io.Writer) error {
	r, err := results.Read(folder.Results())
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(stderr, "timerbench: --resume: %s holds no results yet\n", folder.Path)
		return nil
	}
	if err == nil {
		err = bench.CheckResume(*cfg, r)
	}
	if err != nil {
		return fmt.Errorf("--resume: %s: %w", folder.Results(), err)
	}
	cfg.Resume, folder.Saved = r, true
	fmt.Fprintf(stderr, "%d finished steps are kept\n", len(r.Done))
	return nil
}

// measureHere runs cfg in this process.
func measureHere(ctx context.Context, cfg bench.Config, folder *runs.Folder,
	stderr io.Writer) (*results.Run, error) {
	var saved time.Time
	var took time.Duration
	var failed error // of the last save
	cfg.Checkpoint = func(r *results.Run) error {
		start := time.Now()
		switch {
		case r.Complete:
			failed = runs.Save(folder.Path, r)
		case start.Sub(saved) < 20*took: // each writes the whole file
			return nil
		default:
			failed = results.Write(folder.Results(), r)
		}
		if failed == nil {
			folder.Saved, saved, took = true, time.Now(), time.Since(start)
		}
		return failed
	}
	progress := newProgress(stderr)
	cfg.Progress = progress.show
	defer progress.end()
	r, err := bench.Run(ctx, cfg)
	if err != nil && failed == nil && folder.Saved && !r.Complete {
		err = errors.Join(err, runs.Save(folder.Path, r)) // what was finished since the last save
	}
	return r, err
}
