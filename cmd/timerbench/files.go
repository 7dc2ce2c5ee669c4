package main

import (
	"fmt"
	"io"
	"time"

	"github.com/timerbench/timerbench/bench/runs"
	"github.com/timerbench/timerbench/internal/atomicfile"
)

// The help of flags that name files.
const (
	newFolder = "`folder` for the results (default: a new one in " + runs.Parent + "/"
	outHelp   = newFolder + ", to which " + latest + " then points)"
	orStdout  = "; - is the standard output"
)

// latest leads to the last run.
const latest = runs.Parent + "/" + runs.Latest

// writeTo writes the file of a flag, or to the standard output if path is "-", or nothing if it
// is empty.
func writeTo(flag, path string, stdout io.Writer, write func(io.Writer) error) error {
	switch path {
	case "":
		return nil
	case "-":
		return write(stdout)
	}
	if err := atomicfile.Write(path, write); err != nil {
		return fmt.Errorf("--%s %s: %w", flag, path, err)
	}
	return nil
}

// writable returns an error if writeTo would not write there, for commands that take long.
func writable(flag, path string) error {
	if path == "" || path == "-" {
		return nil
	}
	if _, err := atomicfile.Target(path); err != nil {
		return fmt.Errorf("--%s %s: %w", flag, path, err)
	}
	return nil
}

// openFolder opens the folder of --out, or a new one, for a run.
func openFolder(out, what string, resume bool) (*runs.Folder, error) {
	folder, err := runs.Open(out, what, time.Now(), resume)
	if err != nil && out != "" {
		return nil, fmt.Errorf("--out %w", err)
	}
	return folder, err
}

// announce says where the results of a complete run are.
func announce(stderr io.Writer, folder *runs.Folder) {
	fmt.Fprintf(stderr, "results are in %s; draw them with: %s\n", folder.Results(), asTyped("report", folder.Path))
}
