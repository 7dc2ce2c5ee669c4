package compare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// command is the path of package main in the repository.
const command = "./cmd/timerbench"

// Build builds the program of a commit once for each layout, in the folder dir, and returns the paths. It checks the
// source out into a temporary git worktree and removes the worktree, even after an error or when ctx is cancelled. Without a
// commit it builds the files of the work tree as they are.
//
// With more than one layout, the linker orders the functions at random, with the number of the layout as the seed.
func Build(ctx context.Context, repository, commit, dir string, layouts int) (programs []string, err error) {
	source := repository
	if commit != "" {
		var remove func() error
		if source, remove, err = checkOut(ctx, repository, commit); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, remove()) }()
	}
	for layout := range layouts {
		path, err := filepath.Abs(filepath.Join(dir, fmt.Sprintf("timerbench-%02d", layout)))
		if err != nil {
			return nil, err
		}
		link := "-ldflags=-w" // default layout; count needs the function names
		if layouts > 1 {
			link = fmt.Sprintf("-ldflags=-s -w -randlayout=%d", layout+1) // without symbols: fast to link, and half the size
		}
		if _, err := outputIn(ctx, source, "go", "build", "-buildvcs=auto", "-o", path, link, command); err != nil {
			return nil, fmt.Errorf("building it: %w", err)
		}
		programs = append(programs, path)
	}
	return programs, nil
}

// Source returns the root of the git repository that contains the current folder, and the commit of a revision there. An empty
// revision is that of the work tree, which has no commit.
func Source(ctx context.Context, revision string) (repository, commit string, err error) {
	repository, err = outputIn(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		err = errors.New("it is no program, and for a revision the current folder must be in a git repository of timerbench")
	}
	if repository = strings.TrimSpace(repository); err != nil || revision == "" {
		return repository, "", err
	}
	commit, err = outputIn(ctx, repository, "git", "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("it is neither a revision of %s nor a program", repository)
	}
	return repository, strings.TrimSpace(commit), err
}

// checkOut creates a temporary worktree of a commit. remove deletes it.
func checkOut(ctx context.Context, repository, commit string) (path string, remove func() error, err error) {
	parent, err := os.MkdirTemp("", "timerbench-ab-")
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(parent, "source")
	remove = func() error {
		// ctx may already be cancelled.
		_, err := outputIn(context.WithoutCancel(ctx), repository, "git", "worktree", "remove", "--force", path)
		return errors.Join(err, os.RemoveAll(parent))
	}
	if _, err := outputIn(ctx, repository, "git", "worktree", "add", "--quiet", "--detach", path, commit); err != nil {
		_ = remove() // the worktree may be incomplete
		return "", nil, fmt.Errorf("checking it out: %w", err)
	}
	return path, remove, nil
}

// output runs a program and returns its standard output. The error contains
// its standard error. If ctx ended the program, the error is that of ctx.
func output(ctx context.Context, cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	if failed := new(exec.ExitError); ctx.Err() != nil {
		err = ctx.Err()
	} else if errors.As(err, &failed) {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(failed.Stderr))
	}
	return string(out), err
}

// outputIn runs a program in a folder, as [output] does.
func outputIn(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	return output(ctx, cmd)
}
