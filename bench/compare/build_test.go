package compare

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/internal/fail"
)

// repository makes a git repository. commit adds a version of the program that prints
// an expression.
func repository(t *testing.T) (root string, commit func(says string) (revision string)) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	root = t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		identity := []string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"}
		out, err := outputIn(t.Context(), root, "git", append(identity, args...)...)
		fail.If(t, err)
		return strings.TrimSpace(out)
	}
	git("init", "--quiet")
	fail.Write(t, filepath.Join(root, "go.mod"), "module example.com/m\n\ngo 1.26\n")
	return root, func(says string) string {
		t.Helper()
		fail.Write(t, filepath.Join(root, "cmd/timerbench/main.go"), "package main\n\nfunc main() { println("+says+") }\n")
		git("add", "-A")
		git("commit", "--quiet", "-m", "x")
		return git("rev-parse", "HEAD")
	}
}

// left returns the number of work trees of a repository: 1 if nothing was left behind.
func left(t *testing.T, root string) int {
	t.Helper()
	list, err := outputIn(t.Context(), root, "git", "worktree", "list", "--porcelain")
	fail.If(t, err)
	return strings.Count(list, "worktree ")
}

func TestRevisionsAreBuiltAndNothingIsLeftBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	root, commit := repository(t)
	first := commit(`"one"`)
	commit(`"two"`)
	fail.Write(t, filepath.Join(root, "cmd/timerbench/main.go"), "package main\n\nfunc main() { println(\"changed\") }\n")
	t.Chdir(filepath.Join(root, "cmd"))
	for revision, want := range map[string]string{first: "one", "HEAD": "two", "": "changed"} {
		layouts := 1
		if revision == first {
			layouts = 2
		}
		source, commit, err := Source(t.Context(), revision)
		fail.If(t, err)
		programs, err := Build(t.Context(), source, commit, t.TempDir(), layouts)
		if err != nil || len(programs) != layouts || programs[0] == programs[layouts-1] && layouts > 1 {
			t.Fatalf("%q: %v, %v", revision, programs, err)
		}
		for _, p := range programs {
			if said, err := exec.Command(p).CombinedOutput(); err != nil || strings.TrimSpace(string(said)) != want {
				t.Errorf("%q: the program says %q, want %q: %v", revision, said, want, err)
			}
		}
	}
	bad := commit("neither a string")
	_, err := Build(t.Context(), root, bad, t.TempDir(), 1)
	fail.UnlessError(t, err, "building it: ")
	for _, revision := range []string{"no-such", "--help"} {
		_, _, err := Source(t.Context(), revision)
		fail.UnlessError(t, err, "it is neither a revision of ")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Build(ctx, root, first, t.TempDir(), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	fail.UnlessSame(t, "work trees", left(t, root), 1)
	if entries, _ := filepath.Glob(filepath.Join(os.TempDir(), "timerbench-ab-*")); len(entries) > 0 {
		t.Errorf("%v are left", entries)
	}
	t.Chdir(t.TempDir())
	_, _, err = Source(t.Context(), "")
	fail.UnlessError(t, err, "must be in a git repository")
}
