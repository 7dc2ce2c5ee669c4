package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// patch is one way to break the program.
type patch struct {
	name   string
	breaks string   // what it breaks
	run    string   // arguments of a run of timerbench that must catch it; empty: none
	test   []string // arguments of a go test that must catch it; empty: the tests of any package
	files  []string // what it changes
	diff   []byte
}

func readPatch(name, path string) (*patch, error) {
	diff, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &patch{name: name, diff: diff}
	for line := range strings.Lines(string(diff)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "# run: "):
			p.run = strings.TrimPrefix(line, "# run: ")
		case strings.HasPrefix(line, "# test: "):
			p.test = strings.Fields(strings.TrimPrefix(line, "# test: "))
		case strings.HasPrefix(line, "# ") && p.breaks == "":
			p.breaks = strings.TrimPrefix(line, "# ")
		case strings.HasPrefix(line, "+++ b/"):
			p.files = append(p.files, strings.TrimPrefix(line, "+++ b/"))
		}
	}
	if p.breaks == "" || len(p.files) == 0 {
		return nil, fmt.Errorf("%s: want a line that begins with # and says what is broken, and a unified diff: %w", path, errBroken)
	}
	return p, nil
}

// caughtBy returns what has caught the patch, or "".
func (p *patch) caughtBy(ctx context.Context, importers map[string][]string) (string, error) {
	dir, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	overlay, err := p.overlay(ctx, dir)
	if err != nil {
		return "", err
	}
	var changed []string
	for _, f := range p.files {
		if pkg := "./" + filepath.Dir(f); !slices.Contains(changed, pkg) {
			changed = append(changed, pkg)
		}
	}
	if out, err := command(ctx, "go", append([]string{"build", "-overlay", overlay}, changed...)...); err != nil {
		return "", fmt.Errorf("it does not build: %w\n%s", errBroken, out)
	}
	if len(p.test) > 0 {
		return p.failingCopy(ctx, dir)
	}
	by, err := p.failing(ctx, overlay, changed, importers)
	if err != nil || p.run == "" || by == "" {
		return by, err
	}
	proof, err := p.proof(ctx, dir, overlay)
	if proof == "" {
		return "", err
	}
	return by + " and " + proof, err
}

// failing returns the first package whose tests fail: of those changed, then of those
// that import them.
func (p *patch) failing(ctx context.Context, overlay string, changed []string, importers map[string][]string) (string, error) {
	packages := slices.Clone(changed)
	for _, pkg := range changed {
		for _, importer := range importers[pkg] {
			if !slices.Contains(packages, importer) {
				packages = append(packages, importer)
			}
		}
	}
	for _, pkg := range packages {
		out, err := command(ctx, "go", "test", "-overlay", overlay, "-failfast", "-timeout", "120s", pkg)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err != nil && bytes.Contains(out, []byte("[build failed]")):
			return "", fmt.Errorf("the tests of %s do not build: %w\n%s", pkg, errBroken, out)
		case err != nil:
			return "go test " + pkg, nil
		}
	}
	return "", nil
}

// failingCopy returns the tests that the patch names if they fail in a patched copy of the
// work tree. An overlay does not reach the programs that tests build, and go build -cover
// heeds none: it instruments the files that the overlay replaces.
func (p *patch) failingCopy(ctx context.Context, dir string) (string, error) {
	tree := filepath.Join(dir, "tree")
	list, err := command(ctx, "git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
	if err != nil {
		return "", err
	}
	for file := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		data, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, and not committed
		}
		to := filepath.Join(tree, file)
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, 0o644)); err != nil {
			return "", err
		}
	}
	if err := p.apply(ctx, tree); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-failfast", "-timeout", "300s"}, p.test...)...)
	cmd.Dir = tree
	// Paths are trimmed, so that the build cache knows what has been built in another copy.
	cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath")
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil:
		return "", nil
	case !bytes.Contains(out, []byte("--- FAIL")):
		return "", fmt.Errorf("go test %s does not run: %w\n%s", strings.Join(p.test, " "), errBroken, out)
	}
	return "go test " + strings.Join(p.test, " "), nil
}

// apply applies the diff to the files below dir.
func (p *patch) apply(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "git", "apply", "-")
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(p.diff)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("it does not apply: %w\n%s", errBroken, out)
	}
	return nil
}

// proof runs the benchmark that must refuse to give numbers.
func (p *patch) proof(ctx context.Context, dir, overlay string) (string, error) {
	binary := filepath.Join(dir, "timerbench")
	if out, err := command(ctx, "go", "build", "-overlay", overlay, "-o", binary, "./cmd/timerbench"); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	out, err := command(ctx, "sh", "-c", fmt.Sprintf("exec %s run --out %s %s", binary, filepath.Join(dir, "out"), p.run))
	if err != nil && bytes.Contains(out, []byte("fails the proof")) {
		return "timerbench run " + p.run, nil
	}
	return "", ctx.Err()
}

// overlay writes the patched files below dir, and the file that tells the go command
// of them.
func (p *patch) overlay(ctx context.Context, dir string) (string, error) {
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	patched := filepath.Join(dir, "patched")
	replace := make(map[string]string)
	for _, f := range p.files {
		to := filepath.Join(patched, f)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		content, err := os.ReadFile(f)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if err == nil {
			err = os.WriteFile(to, content, 0o644)
		} else {
			err = nil // the patch makes it
		}
		if err != nil {
			return "", err
		}
		replace[filepath.Join(root, f)] = to
	}
	if err := p.apply(ctx, patched); err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, data, 0o644)
}

func command(ctx context.Context, name string, args ...string) ([]byte, error) {
	return exec.CommandContext(ctx, name, args...).CombinedOutput()
}

// readImporters returns for each package of the module those that import it, directly
// or not, tests included.
func readImporters(ctx context.Context) (map[string][]string, error) {
	out, err := command(ctx, "go", "list", "-f", "{{.ImportPath}} {{join .Deps \" \"}} {{join .TestImports \" \"}} {{join .XTestImports \" \"}}", "./...")
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, out)
	}
	const module = "github.com/timerbench/timerbench"
	relative := func(path string) string { return "." + strings.TrimPrefix(path, module) }
	importers := make(map[string][]string)
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		for _, dep := range words[1:] {
			if strings.HasPrefix(dep, module) && dep != words[0] {
				importers[relative(dep)] = append(importers[relative(dep)], relative(words[0]))
			}
		}
	}
	return importers, nil
}
