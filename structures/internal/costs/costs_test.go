package costs_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/internal/costs"
)

var update = flag.Bool("update", false, "rewrite the tables in docs/costs.md")

const (
	module  = "github.com/timerbench/timerbench/"
	counter = module + "structures/internal/costs/count"
)

// Each structure does what its costs in the catalog claim, in each pattern.
func TestClaims(t *testing.T) {
	sizes := []int{1000, 10_000, 100_000}
	if testing.Short() {
		sizes = []int{1000, 3000, 10_000}
	}
	program := build(t)
	table := newTable()
	t.Run("structures", func(t *testing.T) {
		for _, e := range catalog.All() {
			t.Run(e.Name, func(t *testing.T) {
				t.Parallel()
				counts := count(t, program, e, sizes)
				for _, of := range byPattern(counts) {
					if err := costs.Check(of, e.Costs); err != nil {
						t.Error(err)
					}
					if err := costs.CheckWork(of); e.ThirdParty == "" && err != nil {
						t.Error(err)
					}
				}
				table.add(e.Name, counts)
			})
		}
	})
	table.compare(t)
}

// build builds the program that counts the blocks of all that the structures are made of.
func build(t *testing.T) (program string) {
	t.Helper()
	args := []string{"list", "-deps", "-f", `{{if or (not .Standard) (eq .ImportPath "container/heap" "container/list" "slices" "maps")}}{{.ImportPath}}{{end}}`}
	for _, e := range catalog.All() {
		args = append(args, e.Package)
	}
	packages := strings.Fields(command(t, exec.Command("go", args...)))
	program = filepath.Join(t.TempDir(), "count")
	command(t, exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg", strings.Join(append(packages, counter), ","), "-o", program, counter))
	return program
}

// count runs the program.
func count(t *testing.T, program string, e catalog.Entry, sizes []int) (counts []costs.Count) {
	t.Helper()
	args := []string{e.Name}
	for _, n := range sizes {
		if e.Limit == 0 || n <= e.Limit {
			args = append(args, strconv.Itoa(n))
		}
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
	if err := json.Unmarshal([]byte(command(t, cmd)), &counts); err != nil {
		t.Fatal(err)
	}
	return counts
}

func command(t *testing.T, cmd *exec.Cmd) (out string) {
	t.Helper()
	var errors strings.Builder
	cmd.Stderr = &errors
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args[:2], err, errors.String())
	}
	return string(stdout)
}

// byPattern returns the counts of each pattern and its operations, by the number of timers.
func byPattern(counts []costs.Count) [][]costs.Count {
	type key struct {
		pattern string
		ops     costs.Ops
	}
	var groups [][]costs.Count
	index := make(map[key]int)
	for _, c := range counts {
		k := key{c.Pattern, c.Ops}
		i, ok := index[k]
		if !ok {
			i = len(groups)
			index[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}
