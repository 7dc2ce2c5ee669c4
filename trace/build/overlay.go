package build

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/timerbench/timerbench"
)

//go:embed _inject/*.go
var injected embed.FS

// addition is what a program gets.
type addition struct {
	imported string            // package that package main imports
	placed   map[string]string // the injected files, and their places in the standard library
	hooks    []hook
	sources  bool // it has the sources of this module
}

// recorder writes a trace.
var recorder = addition{
	imported: "timerbench/trace",
	placed: map[string]string{
		"runtime":    "runtime/timerbench.go",
		"syscall":    "syscall/timerbench.go",
		"agent":      "timerbench/trace/agent.go",
		"compressor": "timerbench/trace/compressor.go",
	},
	hooks:   recordingHooks,
	sources: true,
}

// counters counts the operations and serves the counters. A program that imports package expvar has them there, too.
var counters = addition{
	imported: "timerbench/counters",
	placed: map[string]string{
		"counts":   "runtime/timerbench.go",
		"expvar":   "expvar/timerbench.go",
		"counters": "timerbench/counters/counters.go",
	},
	hooks: countingHooks,
}

// patched returns the files of the standard library that have hooks.
func (a addition) patched() (files []string) {
	for _, h := range a.hooks {
		if !slices.Contains(files, h.file) {
			files = append(files, h.file)
		}
	}
	return files
}

// unneeded are the files of package trace that a program does not need to write a trace.
var unneeded = []string{"compressor.go", "reader.go"}

// module is the beginning of imports within this module, and moved is its replacement in the program.
const module, moved = `"github.com/timerbench/timerbench/`, `"timerbench/`

// overlay is the content of the file for go build -overlay, and the folder for the replacements.
type overlay struct {
	dir     string
	Replace map[string]string
}

// add replaces the content of a file, or adds the file.
func (o overlay) add(file string, content []byte) error {
	replacement := filepath.Join(o.dir, fmt.Sprintf("%d.go", len(o.Replace)))
	o.Replace[file] = replacement
	if err := os.WriteFile(replacement, content, 0o600); err != nil {
		return err
	}
	// If files are new, Go 1.24 and 1.25 search for their package on the disk only.
	old := time.Now().Add(-time.Minute)
	return os.Chtimes(replacement, old, old)
}

// addTo adds the addition to the standard library in src.
func (o overlay) addTo(src string, a addition) error {
	var all error
	for _, name := range a.patched() {
		file := filepath.Join(src, filepath.FromSlash(name))
		source, err := os.ReadFile(file)
		if err == nil {
			source, err = patch(a.hooks, name, source)
		}
		if err == nil {
			err = o.add(file, source)
		}
		all = errors.Join(all, err)
	}
	for name, to := range a.placed {
		source, err := injected.ReadFile("_inject/" + name + ".go")
		all = errors.Join(all, err, o.add(filepath.Join(src, filepath.FromSlash(to)), source))
	}
	if !a.sources {
		return all
	}
	addSource := func(name string, d fs.DirEntry, err error) error {
		folder, file := path.Split(name)
		if err != nil || d.IsDir() || strings.HasSuffix(file, "_test.go") ||
			folder == "trace/" && slices.Contains(unneeded, file) {
			return err
		}
		source, err := timerbench.Sources.ReadFile(name)
		source = bytes.ReplaceAll(source, []byte(module), []byte(moved))
		file = filepath.Join(src, "timerbench", filepath.FromSlash(name))
		return errors.Join(err, o.add(file, source))
	}
	return errors.Join(all, fs.WalkDir(timerbench.Sources, ".", addSource))
}
