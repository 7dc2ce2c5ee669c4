// Package build builds Go programs that record their timers, without a change to their source.
//
// It replaces runtime/time.go by go build -overlay. The new file is that of the user's own Go with additional
// statements, which write each operation on a timer into a ring buffer of its P. A package that package main
// imports reads the rings and writes a trace. All timers of package time, the deadlines of package net,
// contexts and sleeps go through these statements. A program that uses package driver of this module records
// the timers of its drivers instead of the timer that each driver sleeps on.
//
// The program records if the environment variable [trace.EnvFile] names a file.
//
// With the flag -counters, the program counts the operations instead, always, and serves the counters at the address that
// TIMERBENCH_COUNTERS names.
package build

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Run builds programs as "go build" does with these arguments, which are flags, among them perhaps -counters, and then packages.
// The output of go goes to out. Run returns an error if go fails, if a flag or a package is not
// supported, or if the version of Go is not.
func Run(ctx context.Context, args []string, out io.Writer) error {
	a, err := parseArguments(args)
	if err != nil {
		return err
	}
	env, err := a.environment(ctx, out)
	if err != nil {
		return err
	}
	mains, err := a.programs(ctx, env, out)
	if err != nil {
		return UsageError{err}
	}
	dir, err := os.MkdirTemp("", "timerbench-build-*")
	if err != nil {
		return err
	}
	return errors.Join(a.build(ctx, dir, env, mains, out), os.RemoveAll(dir))
}

// UsageError is the error of [Run] for arguments that it does not support, or that name no program.
type UsageError struct{ error }

// Unwrap returns the error.
func (e UsageError) Unwrap() error { return e.error }

func usage(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

type arguments struct {
	chdir    []string // the flag -C, which must come first
	others   []string
	listed   []string // others without the flags in unlisted
	addition addition // what the flag -counters says
}

// valueless are the flags of go build without a value. Their next argument is something else.
var valueless = []string{
	"a", "asan", "buildvcs", "cover", "json", "linkshared", "modcacherw", "msan", "n", "race",
	"trimpath", "v", "work", "x",
}

// standard matches a -coverpkg that includes the standard library.
var standard = regexp.MustCompile(`[=,](all|std|cmd|\.\.\.)(,|$)`)

// unlisted are the flags that go list does not know or treats differently.
var unlisted = []string{"o", "json", "n", "x"}

func parseArguments(args []string) (a arguments, err error) {
	a.addition = recorder
	for len(args) > 0 {
		name, isFlag := strings.CutPrefix(args[0], "-")
		if !isFlag || name == "" {
			break
		}
		if name == "-" { // what follows are packages, whatever they begin with
			a.others, a.listed = append(a.others, args[0]), append(a.listed, args[0])
			args = args[1:]
			break
		}
		name, _, hasValue := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		if name == "counters" && !hasValue {
			a.addition, args = counters, args[1:]
			continue
		}
		n := 1
		if !hasValue && !slices.Contains(valueless, name) {
			n = min(2, len(args))
		}
		flag := args[:n]
		args = args[n:]
		switch {
		case name == "overlay":
			return a, usage("%s: trace build needs -overlay itself", flag[0])
		case name == "coverpkg" && standard.MatchString(strings.Join(flag, "=")):
			return a, usage("%s: trace build changes the standard library, which go tool cover reads as it is: name other packages", strings.Join(flag, " "))
		case name == "C" && len(a.others) == 0:
			a.chdir = flag
			continue
		case !slices.Contains(unlisted, name):
			a.listed = append(a.listed, flag...)
		}
		a.others = append(a.others, flag...)
	}
	a.others, a.listed = append(a.others, args...), append(a.listed, args...)
	return a, nil
}

// goCommand runs a go command and returns its output.
func goCommand(ctx context.Context, stderr io.Writer, args ...[]string) ([]byte, error) {
	line := slices.Concat(args...)
	cmd := exec.CommandContext(ctx, "go", line...)
	cmd.Stderr = stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", line[0], cmp.Or(ctx.Err(), err))
	}
	return out, nil
}

type environment struct{ GOROOT, GOMODCACHE, GOVERSION, GOFLAGS string }

func (a arguments) environment(ctx context.Context, stderr io.Writer) (env environment, err error) {
	names := []string{"-json", "GOROOT", "GOMODCACHE", "GOVERSION", "GOFLAGS"}
	out, err := goCommand(ctx, stderr, []string{"env"}, a.chdir, names)
	if err != nil {
		return env, err
	}
	if err := json.Unmarshal(out, &env); err != nil {
		return env, fmt.Errorf("go env: %w", err)
	}
	if strings.Contains(env.GOFLAGS, "-overlay") {
		return env, usage("GOFLAGS %q: trace build needs -overlay itself", env.GOFLAGS)
	}
	return env, nil
}

// programs returns the folders of the packages main.
func (a arguments) programs(ctx context.Context, env environment, stderr io.Writer) ([]string, error) {
	fields := []string{"-json=ImportPath,Name,Dir"}
	out, err := goCommand(ctx, stderr, []string{"list"}, a.chdir, fields, a.listed)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p struct{ ImportPath, Name, Dir string }
		if err := d.Decode(&p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Name != "main" {
			continue
		}
		if within(env.GOMODCACHE, p.Dir) {
			return nil, fmt.Errorf("%s is in the module cache, whose files cannot be overlaid: "+
				"copy %s and build it there", p.ImportPath, p.Dir)
		}
		dirs = append(dirs, p.Dir)
	}
	if len(dirs) == 0 {
		return nil, errors.New("no program: want a package main among the packages")
	}
	return dirs, nil
}

// covered reports whether the programs are built for coverage: by -cover, or by a flag that implies it.
func (a arguments) covered(env environment) bool {
	return slices.ContainsFunc(append(strings.Fields(env.GOFLAGS), a.others...), func(arg string) bool {
		return strings.HasPrefix(strings.TrimLeft(arg, "-"), "cover") && strings.HasPrefix(arg, "-") && arg != "-cover=false"
	})
}

func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return folder != "" && err == nil && filepath.IsLocal(rel)
}

// build builds the programs in these folders. dir is an empty folder.
func (a arguments) build(ctx context.Context, dir string, env environment, mains []string, out io.Writer) error {
	goroot := env.GOROOT
	if within(env.GOMODCACHE, goroot) {
		goroot = filepath.Join(dir, "goroot")
		if err := os.CopyFS(goroot, os.DirFS(env.GOROOT)); err != nil {
			return fmt.Errorf("copying the Go of the module cache, whose files cannot be overlaid: %w", err)
		}
	}
	o := overlay{dir: dir, Replace: map[string]string{}}
	if err := o.addTo(filepath.Join(goroot, "src"), a.addition); err != nil {
		return fmt.Errorf("%s: %w", env.GOVERSION, err)
	}
	const added = "timerbench_recorder.go"
	importer, packages, covered := "main", a.others, a.covered(env)
	if covered { // go tool cover reads the files of package main from the disk; each program imports this package then
		importer, mains = "cfile", []string{filepath.Join(goroot, "src", "internal", "coverage", "cfile")}
	}
	for _, folder := range mains {
		source := "package " + importer + "\n\nimport _ \"" + a.addition.imported + "\"\n"
		if err := o.add(filepath.Join(folder, added), []byte(source)); err != nil {
			return err
		}
	}
	if n := len(packages); n > 0 && !covered && strings.HasSuffix(packages[n-1], ".go") { // they are files
		one := filepath.Join(filepath.Dir(packages[n-1]), added)
		packages = append(slices.Clone(packages), one)
	}
	list := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(o)
	if err := errors.Join(err, os.WriteFile(list, text, 0o600)); err != nil {
		return err
	}
	line := slices.Concat([]string{"build"}, a.chdir, []string{"-overlay=" + list}, packages)
	cmd := exec.CommandContext(ctx, filepath.Join(goroot, "bin", "go"), line...)
	cmd.Env = append(os.Environ(), "GOROOT="+goroot, "GOTOOLCHAIN=local")
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build: %w", cmp.Or(ctx.Err(), err))
	}
	return nil
}
