package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// spinsVariable is the environment variable that says how long the planted loop runs.
const spinsVariable = "ABTRIAL_SPINS"

// plantedFile is added to the structure.
const plantedFile = `package minheap

import (
	"os"
	"strconv"
)

var (
	spins, _ = strconv.Atoi(os.Getenv("` + spinsVariable + `"))
	spun     = uint64(1)
)

//go:noinline
func spin() {
	x := spun
	for range spins {
		x ^= x >> 7
	}
	spun = x
}
`

// plant adds the slowdown to the source.
func plant(source string) error {
	dir := filepath.Join(source, "structures", planted)
	path := filepath.Join(dir, "core.go")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	const before = "func (c *core) Remove(slot uint32) {\n"
	if strings.Contains(string(text), before+"\tspin()\n") {
		return nil
	}
	if strings.Count(string(text), before) != 1 {
		return fmt.Errorf("%s: want one line %q", path, before)
	}
	changed := strings.Replace(string(text), before, before+"\tspin()\n", 1)
	return errors.Join(os.WriteFile(path, []byte(changed), 0o644), os.WriteFile(filepath.Join(dir, "spin.go"), []byte(plantedFile), 0o644))
}
