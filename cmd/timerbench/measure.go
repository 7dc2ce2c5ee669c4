package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
)

// target says where a run goes.
type target struct {
	folder string   // empty: a new one
	memory uint64   // most bytes to take; 0: what is available
	resume bool     // go on with the run in it
	json   string   // a further file of the results; empty: none; -: the standard output
	flags  []string // of the command line, for runs of one layout
}

// measure runs cfg and prints a summary. It writes the results after each step.
func measure(ctx context.Context, cfg bench.Config, to target, stdout, stderr io.Writer) (err error) {
	available, ok := availableMemory()
	if to.memory > 0 && (!ok || to.memory < available) {
		available, ok = to.memory, true
	}
	if ok {
		if cfg, err = fitMemory(ctx, cfg, available); err != nil {
			return err
		}
		// Measuring holds the collector back, and garbage must not take what is not there.
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(available)))
	}
	if err := writable("json", to.json); err != nil {
		return err
	}
	folder, err := openRunFolder(to.folder, cfg.Profile.Name, time.Now(), to.resume)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.close()) }()
	if to.resume {
		if cfg.Resume, err = folder.interrupted(cfg, stderr); err != nil {
			return err
		}
	}
	if cfg.Layout == 0 { // said once of all layouts
		printMachine(stderr)
	}
	var r *results.Run
	if cfg.Layouts > 1 && cfg.Layout == 0 {
		r, err = measureLayouts(ctx, cfg, to.flags, folder, stderr)
	} else {
		r, err = measureHere(ctx, cfg, folder, stderr)
	}
	if r == nil {
		return err
	}
	if to.json == "-" {
		summarize(stderr, r)
	} else {
		summarize(stdout, r)
	}
	if folder.saved {
		err = errors.Join(err, writeTo("json", to.json, stdout, func(w io.Writer) error { return results.Encode(w, r) }))
	}
	switch {
	case r.Complete: // with an error if a structure broke its contract
		folder.announce(stderr)
	case errors.Is(err, context.Canceled) && folder.saved:
		err = errors.Join(err, saveBenchfmt(folder.path, r))
		fmt.Fprintf(stderr, "the steps that were finished are in %s; to go on, add to the same flags: --resume --out %s\n", folder.results(), folder.path)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "no step was finished, nothing is written")
	}
	return err
}

// measureHere runs cfg in this process.
func measureHere(ctx context.Context, cfg bench.Config, folder *runFolder, stderr io.Writer) (*results.Run, error) {
	steps, last := 0, time.Time{}
	cfg.Checkpoint = func(r *results.Run) error {
		// Racing makes many small steps, and each save writes the whole file.
		const between = 5 * time.Second
		if !r.Complete && len(r.Done) == steps && time.Since(last) < between {
			return nil
		}
		folder.saved, steps, last = true, len(r.Done), time.Now()
		if r.Complete {
			return save(folder.path, r)
		}
		return results.Write(folder.results(), r)
	}
	progress := newProgress(stderr)
	cfg.Progress = progress.show
	defer progress.end()
	return bench.Run(ctx, cfg)
}
