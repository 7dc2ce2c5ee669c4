package compare

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// events maps cachegrind's names of events to counts: Ir is instructions read, Dr and Dw are
// data reads and writes, D1mr is a read that missed the first level, DLmw a write that missed
// the last level, Bcm a mispredicted conditional branch, Bim a mispredicted indirect branch.
type events map[string]float64

// cachegrind runs a program and returns its events by function, and its output. The cache sizes
// are fixed, so all machines get the same counts. One thread and no garbage collection make runs
// repeatable. A fixed environment makes addresses repeatable too, except the base of Go's heap.
func cachegrind(ctx context.Context, lastLevel, program string, args ...string) (
	byFunction map[string]events, printed string, err error,
) {
	dir, err := os.MkdirTemp("", "timerbench-count-")
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "cachegrind.out")
	caches := []string{"--cache-sim=no"}
	if lastLevel != "" {
		caches = []string{"--cache-sim=yes", "--I1=" + firstLevel, "--D1=" + firstLevel, "--LL=" + lastLevel}
	}
	cmd := exec.CommandContext(ctx, "setarch", slices.Concat([]string{
		"-R", "valgrind", "--tool=cachegrind", "--branch-sim=yes", "--quiet", "--cachegrind-out-file=" + path,
	}, caches, []string{program}, args)...)
	cmd.Env = []string{
		"GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1", "HOME=" + dir, "PATH=" + os.Getenv("PATH"),
	}
	if printed, err = output(ctx, cmd); err != nil {
		return nil, "", err
	}
	counts, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	byFunction, err = parse(bytes.NewReader(counts))
	return byFunction, printed, err
}

// firstLevel and the last levels are in cachegrind's notation: size in bytes, associativity, line size in bytes.
const firstLevel = "32768,8,64"

// parse reads cachegrind's output file. The line "events:" names the columns. A line "fn="
// names a function, and the following lines hold a line number and counts of that function.
func parse(r io.Reader) (map[string]events, error) {
	byFunction := map[string]events{}
	var columns []string
	var current events
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20) // names of generic functions are long
	for lines.Scan() {
		line := lines.Text()
		if names, ok := strings.CutPrefix(line, "events:"); ok {
			columns = strings.Fields(names)
			continue
		}
		if name, ok := strings.CutPrefix(line, "fn="); ok {
			if current = byFunction[name]; current == nil {
				current = events{}
				byFunction[name] = current
			}
			continue
		}
		if current == nil || line == "" || line[0] < '0' || line[0] > '9' {
			continue
		}
		counts := strings.Fields(line)[1:]
		if len(counts) > len(columns) {
			return nil, fmt.Errorf("cachegrind: %d counts in line %q: want at most %d", len(counts), line, len(columns))
		}
		for i, count := range counts { // trailing zeros are left out
			n, err := strconv.ParseFloat(count, 64)
			if err != nil {
				return nil, fmt.Errorf("cachegrind: line %q: %w", line, err)
			}
			current[columns[i]] += n
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(columns) == 0 {
		return nil, errors.New("cachegrind: no line of events")
	}
	return byFunction, nil
}
