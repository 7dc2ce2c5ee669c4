// Command mutants checks the checks: it breaks the program in the ways that the
// patches in the folder patches say, one at a time, and expects each to be caught.
//
// A patch is a unified diff against the root of the repository. Its first line says
// what it breaks, after a #. It is caught when a test of a package that it changes
// fails, or else of a package that imports one of these. A patch that names a run,
//
//	# run: --structure '^hwheel$' --workload '^start-stop$' --n 10
//
// must be caught by that run of timerbench too: by its proof.
//
// A patch that names tests, by arguments of go test,
//
//	# test: -short ./structures/internal/costs
//
// must be caught by these.
//
// Nothing in the work tree is changed: the patched files are given to the go command
// as an overlay, or the named tests run in a copy.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := check(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func check(ctx context.Context) error {
	only := flag.String("run", "", "the patches to try, a regular `expression` over their names")
	dir := flag.String("patches", "internal/mutants/patches", "the `folder` of the patches")
	flag.Parse()
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-run %q: %w", *only, err)
	}
	paths, err := filepath.Glob(filepath.Join(*dir, "*.patch"))
	if err != nil {
		return err
	}
	importers, err := readImporters(ctx)
	if err != nil {
		return err
	}
	tried, missed := 0, 0
	var broken []error
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".patch")
		if !chosen.MatchString(name) {
			continue
		}
		p, err := readPatch(name, path)
		if err != nil {
			broken = append(broken, err)
			continue
		}
		tried++
		by, err := p.caughtBy(ctx, importers)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			broken = append(broken, fmt.Errorf("%s: %w", path, err))
		case by == "":
			missed++
			fmt.Printf("MISSED  %-40s %s\n", name, p.breaks)
		default:
			fmt.Printf("caught  %-40s by %s\n", name, by)
		}
	}
	switch {
	case len(broken) > 0:
		return errors.Join(broken...)
	case tried == 0:
		return fmt.Errorf("no patch in %s matches %q", *dir, *only)
	case missed > 0:
		return fmt.Errorf("%d of %d patches were not caught", missed, tried)
	}
	fmt.Printf("all %d patches were caught\n", tried)
	return nil
}

// errBroken says that a patch does not do what patches are for.
var errBroken = errors.New("the patch itself is broken")
