// Package kept holds the results of runs that are part of the sources, one file for each
// machine, as timerbench submit writes them. They are part of the program too.
package kept

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
)

//go:embed *.json.gz
var files embed.FS

// All returns all runs, by name of their files.
func All() (runs []*results.Run, err error) {
	list, err := files.ReadDir(".")
	for _, f := range list {
		data, err1 := files.ReadFile(f.Name())
		r, err2 := store.Decode(data)
		if err = errors.Join(err, err1, err2); err != nil {
			return nil, fmt.Errorf("docs/results/%s: %w", f.Name(), err)
		}
		runs = append(runs, r)
	}
	return runs, err
}

// Last returns the run that was made last. It costs the reading of that run, and of the
// first lines of the others.
func Last() (*results.Run, error) {
	list, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var last store.Header
	var content []byte
	for _, f := range list {
		data, err := files.ReadFile(f.Name())
		if err != nil {
			return nil, err
		}
		var head store.Header
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			err = head.Decode(json.NewDecoder(z))
		}
		if err != nil {
			return nil, fmt.Errorf("docs/results/%s: %w", f.Name(), err)
		}
		if content == nil || head.Created.After(last.Created) {
			last, content = head, data
		}
	}
	return store.Decode(content)
}
