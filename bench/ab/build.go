package ab

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

// command is the package of the program, in the repository.
const command = "./cmd/timerbench"

// Build builds the program of a revision, once for each layout, into the folder dir, and
// returns the paths. The source is checked out into a temporary git worktree, which is
// removed again, also after an error or when ctx is cancelled. An empty revision stands
// for the files of the work tree as they are.
//
// With more than one layout, the linker places the functions in a random order, the same
// one for the same number of the layout.
func Build(ctx context.Context, repository, revision, dir string, layouts int) (programs []string, err error) {
	source, name := repository, "the work tree"
	if revision != "" {
		name = "revision " + revision
		var remove func() error
		if source, remove, err = checkOut(ctx, repository, revision); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, remove()) }()
	}
	for layout := range layouts {
		path, err := filepath.Abs(filepath.Join(dir, fmt.Sprintf("timerbench-%02d", layout)))
		if err != nil {
			return nil, err
		}
		link := "-ldflags=-w" // the layout as it is, and the names of functions, by which count counts
		if layouts > 1 {
			link = LinkFlags(layout + 1)
		}
		if _, err := output(ctx, source, "go", "build", "-buildvcs=auto", "-o", path, link, command); err != nil {
			return nil, fmt.Errorf("building %s: %w", name, err)
		}
		programs = append(programs, path)
	}
	return programs, nil
}

// LinkFlags returns the flag of go build for a program with the code layout of a seed. Without
// its symbols a program is quick to link, and half the size.
func LinkFlags(layout int) string { return fmt.Sprintf("-ldflags=-s -w -randlayout=%d", layout) }

// Repository returns the root of the git repository that holds the folder dir.
func Repository(ctx context.Context, dir string) (string, error) {
	root, err := output(ctx, dir, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return "", fmt.Errorf("%s: want a folder in a git repository of timerbench: %w", dir, err)
	}
	return strings.TrimSpace(root), nil
}

// checkOut makes a temporary worktree of a revision. remove removes it.
func checkOut(ctx context.Context, repository, revision string) (path string, remove func() error, err error) {
	commit, err := output(ctx, repository, "git", "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		if ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
		return "", nil, fmt.Errorf("%q is no revision of %s and no program", revision, repository)
	}
	parent, err := os.MkdirTemp("", "timerbench-ab-")
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(parent, "source")
	remove = func() error {
		// The context may be cancelled by now.
		_, err := output(context.WithoutCancel(ctx), repository, "git", "worktree", "remove", "--force", path)
		return errors.Join(err, os.RemoveAll(parent))
	}
	if _, err := output(ctx, repository, "git", "worktree", "add", "--quiet", "--detach", path, strings.TrimSpace(commit)); err != nil {
		_ = remove() // of what there is by now
		return "", nil, fmt.Errorf("checking out %s: %w", revision, err)
	}
	return path, remove, nil
}

// output runs a program in a folder and returns what it prints. The error holds what
// it prints on standard error, or ctx's error if that has ended it.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	err := cmd.Run()
	switch {
	case err == nil:
		return stdout.String(), nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, strings.TrimSpace(stderr.String()))
}
