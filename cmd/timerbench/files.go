package main

import (
	"fmt"
	"io"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/files"
)

// Help texts of flags that name files.
const (
	newFolder = "`folder` for the results (default: a new one in " + results.Parent + "/"
	outHelp   = newFolder + ", to which " + latest + " then points)"
	orStdout  = "; - is standard output"
)

// latest is the link to the last run.
const latest = results.Parent + "/" + results.Latest

// writeTo writes the file that a flag names. The path "-" is standard output; for an empty path it writes nothing.
func writeTo(flag, path string, stdout io.Writer, write func(io.Writer) error) error {
	switch path {
	case "":
		return nil
	case "-":
		return write(raw(stdout))
	}
	return placed(flag, path, "a file", files.Write(path, write))
}

// writable returns an error if writeTo would fail for the path. Commands that take long call it first.
func writable(flag, path string) error {
	if path == "" || path == "-" {
		return nil
	}
	return placed(flag, path, "a file", files.Writable(path))
}

// writableFolder creates the folder that a flag names, and returns an error if no file can be created in it.
func writableFolder(flag, path string) error {
	return placed(flag, path, "a folder", files.WritableFolder(path))
}

// placed adds the flag to the error of a place that cannot be written.
func placed(flag, path, want string, err error) error {
	if err != nil {
		return fmt.Errorf("--%s %w", flag, files.Error(path, want, err))
	}
	return nil
}

// openFolder opens the folder of a run: that of --out, or a new one.
func openFolder(out, what string, resume bool) (*results.Folder, error) {
	folder, err := results.OpenFolder(out, what, time.Now(), resume)
	if err != nil && out != "" {
		return nil, fmt.Errorf("--out %w", err)
	}
	return folder, err
}

func announce(stderr io.Writer, folder *results.Folder) {
	fmt.Fprintf(stderr, "results are in %s; draw them with: %s\n", folder.Results(), asTyped("report", folder.Path))
}
