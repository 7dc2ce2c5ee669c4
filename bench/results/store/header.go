package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/files"
)

// Header is the beginning of a results file.
type Header struct {
	Format     string             `json:"format"`
	Version    int                `json:"version"`
	Created    time.Time          `json:"created"`
	Complete   bool               `json:"complete"` // false: interrupted; the results so far are valid
	Parameters results.Parameters `json:"parameters"`
}

// ReadHeader reads only the header of a results file. The cost does not depend on the
// size of the file. ReadHeader does not notice damage in the rest of the file.
func ReadHeader(path string) (Header, error) {
	var h Header
	f, err := os.Open(path)
	if err != nil {
		return h, files.Error(path, wanted, err)
	}
	in := bufio.NewReader(io.LimitReader(f, mostText))
	if mark, _ := in.Peek(len(files.Mark)); string(mark) == files.Mark {
		_, _ = in.Discard(len(mark)) // they are there
	}
	err = errors.Join(h.Decode(json.NewDecoder(in)), f.Close())
	if err != nil {
		return h, fmt.Errorf("%s: line 1 is not JSON, want %s: %w", path, wanted, err)
	}
	if err := h.check(); err != nil {
		return h, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil
}

// Decode decodes the keys of an object up to the last key of the header.
func (h *Header) Decode(d *json.Decoder) error {
	fields := map[string]any{
		"format": &h.Format, "version": &h.Version, "created": &h.Created,
		"complete": &h.Complete, "parameters": &h.Parameters,
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	for len(fields) > 0 && d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		into, ok := fields[name]
		if !ok {
			into = new(json.RawMessage)
		}
		if err := d.Decode(into); err != nil {
			return err
		}
		delete(fields, name)
	}
	return nil
}

// check returns an error if this version cannot read the file.
func (h Header) check() error {
	switch {
	case h.Format != results.Format:
		return fmt.Errorf("not a results file of timerbench: format is %q, want %q", h.Format, results.Format)
	case h.Version > results.Version:
		return fmt.Errorf("written by a newer timerbench: results of version %d, this one reads version %d", h.Version, results.Version)
	case h.Version < results.Version:
		return fmt.Errorf("written by an older timerbench: results of version %d, want version %d: measure again", h.Version, results.Version)
	}
	return nil
}
