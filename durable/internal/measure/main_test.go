//go:build unix

package main

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/timerbench/timerbench/internal/doctest"
)

var update = flag.Bool("update", false, "write the kept run into docs/durable.md")

func TestTheKeptRunStandsInItsPage(t *testing.T) {
	data, err := os.ReadFile("../../../docs/durable/results.json")
	if err != nil {
		t.Fatal(err)
	}
	var kept run
	if err := json.Unmarshal(data, &kept); err != nil || len(kept.Results) < 4 {
		t.Fatalf("%d results, %v", len(kept.Results), err)
	}
	doctest.Generated(t, *update, "../../../docs/durable.md", "<!-- durable: written by make keep-durable -->\n", "<!-- end of durable -->\n", kept.markdown())
}
