package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/results"
)

func newMerge() *cobra.Command {
	return &cobra.Command{
		Use:   "merge OUT SHARD...",
		Short: "Put the shards of a run together",
		Long: `Put the results of all shards of a run together and write ` + resultsFile + ` and ` + benchfmtFile + `
into the folder OUT. A shard is the folder of a run with --shard, or its ` + resultsFile + `.

All shards must be there, once each, complete, of one build and of the same flags. Each
figure keeps the machine that it was measured on. Where the structures of one cell ran
in several shards, they are compared by the structure that is in all of them.`,
		Example: `  timerbench run --profile full --shard 1/2 --out /tmp/1
  timerbench run --profile full --shard 2/2 --out /tmp/2
  timerbench merge /tmp/whole /tmp/1 /tmp/2
  timerbench report /tmp/whole`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("merge: %d arguments, want a folder for the whole and the folders of its shards", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return merge(args[0], args[1:], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

func merge(out string, from []string, stdout, stderr io.Writer) (err error) {
	var shards []results.Named
	for _, path := range from {
		file, err := locate(path)
		if err != nil {
			return err
		}
		r, err := results.Read(file)
		if err != nil {
			return err
		}
		shards = append(shards, results.Named{Name: path, Run: r})
	}
	whole, err := results.MergeShards(shards)
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	folder, err := openRunFolder(out, whole.Parameters.Profile, time.Now(), false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.close()) }()
	if err := save(folder.path, whole); err != nil {
		return err
	}
	folder.saved = true
	summarize(stdout, whole)
	fmt.Fprintf(stderr, "%d shards are merged in %s; draw them with: %s\n", len(shards), filepath.Join(out, resultsFile), asTyped("report", out))
	return nil
}
