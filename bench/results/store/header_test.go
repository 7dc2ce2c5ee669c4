package store

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

func TestTheHeaderIsReadWithoutTheRest(t *testing.T) {
	created := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "results.json")
	want := Header{results.Format, results.Version, created, true, results.Parameters{Profile: "smoke"}}
	if err := Write(path, &results.Run{Format: results.Format, Version: results.Version, Created: created, Complete: true, Parameters: want.Parameters}); err != nil {
		t.Fatal(err)
	}
	if h, err := ReadHeader(path); err != nil || !reflect.DeepEqual(h, want) {
		t.Errorf("%+v, %v, want %+v", h, err, want)
	}
	for name, c := range map[string]struct{ content, want string }{
		"cut short after it": {`{"format": "timerbench-results", "version": 4, "created": "2026-03-01T12:00:00Z", "complete": true, "parameters": {"profile": "smoke"}, "cells": [`, ""},
		"in another order":   {`{"cells": [{"n": 1}], "parameters": {"profile": "smoke"}, "complete": true, "created": "2026-03-01T12:00:00Z", "version": 4, "format": "timerbench-results"}`, ""},
		"cut short":          {`{"format": "timerbench-results", "vers`, "not JSON"},
		"an array":           {`[1, 2]`, "not a results file"},
		"foreign":            {`{"format": "something else"}`, `format is "something else"`},
		"too new":            {`{"format": "timerbench-results", "version": 99}`, "written by a newer timerbench"},
		"empty":              {``, "not JSON"},
	} {
		if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
			t.Fatal(err)
		}
		h, err := ReadHeader(path)
		switch {
		case c.want == "" && (err != nil || !reflect.DeepEqual(h, want)):
			t.Errorf("%s: %+v, %v, want %+v", name, h, err, want)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path)):
			t.Errorf("%s: error %v does not say %q or the path", name, err, c.want)
		}
	}
}
