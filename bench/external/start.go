package external

// The folder files holds what a program of another language begins with: for C, Rust and Python a small program that takes
// part in a run, and the file with the protocol that it needs.

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

//go:embed files
var starters embed.FS

// names maps what a user asks for to its file.
var names = map[string]string{
	"c": "start.c", "rust": "start.rs", "python": "start.py",
	"timerbench.h": "timerbench.h", "timerbench.rs": "timerbench.rs", "timerbench.py": "timerbench.py",
}

// StartNames returns the languages and the names of the protocol files, sorted.
func StartNames() []string { return slices.Sorted(maps.Keys(names)) }

// StartFile returns the small program of a language, or a protocol file by its name. It returns an error for other names.
func StartFile(name string) ([]byte, error) {
	file, ok := names[name]
	if !ok {
		return nil, fmt.Errorf("%q: want one of %s", name, strings.Join(StartNames(), ", "))
	}
	return starters.ReadFile("files/" + file)
}
