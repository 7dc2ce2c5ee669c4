// Package build builds Go programs that record their timers, without a change to their source.
//
// It replaces runtime/time.go by go build -overlay. The new file is that of the user's own Go with additional
// statements, which write each operation on a timer into a ring buffer of its P. A package that package main
// imports reads the rings and writes a trace. All timers of package time, the deadlines of package net,
// contexts and sleeps go through these statements. A program that uses package driver of this module records
// the timers of its drivers instead of the timer that each driver sleeps on.
//
// The program records if the environment variable [trace.EnvFile] names a file.
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
	"slices"
	"strings"
)

// Run builds programs as "go build" does with these arguments, which are flags and then packages.
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
		return err
	}
	dir, err := os.MkdirTemp("", "timerbench-build-*")
	if err != nil {
		return err
	}
	return errors.Join(a.build(ctx, dir, env, mains, out), os.RemoveAll(dir))
}

// FlagError is the error for a flag that [Run] does not support.
type FlagError string

func (e FlagError) Error() string { return string(e) }

type arguments struct {
	chdir  []string // the flag -C, which must come first
	others []string
	listed []string // others without the flags in unlisted
}

// valueless are the flags of go build without a value. Their next argument is something else.
var valueless = []string{
	"a", "asan", "buildvcs", "cover", "json", "linkshared", "modcacherw", "msan", "n", "race",
	"trimpath", "v", "work", "x",
}

const noCover = ": trace build adds files, which go tool cover does not find"

// unlisted are the flags that go list does not know or treats differently.
var unlisted = []string{"o", "json", "n", "x"}

func parseArguments(args []string) (a arguments, err error) {
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
		n := 1
		if !hasValue && !slices.Contains(valueless, name) {
			n = min(2, len(args))
		}
		flag := args[:n]
		args = args[n:]
		switch {
		case name == "overlay":
			return a, FlagError(flag[0] + ": trace build needs -overlay itself")
		case strings.HasPrefix(name, "cover"):
			return a, FlagError(flag[0] + noCover)
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
	switch {
	case strings.Contains(env.GOFLAGS, "-overlay"):
		err = FlagError(fmt.Sprintf("GOFLAGS %q: trace build needs -overlay itself", env.GOFLAGS))
	case strings.Contains(env.GOFLAGS, "-cover"):
		err = FlagError(fmt.Sprintf("GOFLAGS %q", env.GOFLAGS) + noCover)
	}
	return env, err
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
	if err := o.addRecorder(filepath.Join(goroot, "src")); err != nil {
		return fmt.Errorf("%s: %w", env.GOVERSION, err)
	}
	const added = "timerbench_recorder.go"
	for _, folder := range mains {
		if err := o.add(filepath.Join(folder, added), []byte("package main\n\nimport _ \"timerbench/trace\"\n")); err != nil {
			return err
		}
	}
	packages := a.others
	if n := len(packages); n > 0 && strings.HasSuffix(packages[n-1], ".go") { // they are files
		one := filepath.Join(filepath.Dir(packages[n-1]), added)
		packages = append(slices.Clone(packages), one)
	}
	list, err := o.write()
	if err != nil {
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
