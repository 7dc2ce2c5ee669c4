package report

import (
	"bytes"
	"encoding/csv"
	"reflect"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// What the page holds unpacks to the results, and to a CSV of its trials.
func TestThePageHoldsItsResults(t *testing.T) {
	t.Parallel()
	r := tiny().results()
	links := readHTML(t, htmlOf(t, viewOf(r, testKnowledge(six)))).downloads
	if len(links) != 2 {
		t.Fatalf("%d files, want 2", len(links))
	}
	var files [][]byte
	for _, link := range links {
		_, data, _ := strings.Cut(link, ",")
		file := unpacked(t, data)
		if len(files) == 0 {
			got, err := results.Decode(file)
			if err != nil || !reflect.DeepEqual(got, r) {
				t.Errorf("the results are not those of the page: %v", err)
			}
		}
		files = append(files, file)
	}
	trials := 0
	for _, c := range r.Cells {
		for _, row := range c.Rows {
			trials += len(row.Cost)
		}
	}
	lines, err := csv.NewReader(bytes.NewReader(files[1])).ReadAll()
	ofCosts := 0
	for _, line := range lines {
		if line[0] == "cost" { // the table that the line is of
			ofCosts++
		}
	}
	if err != nil || ofCosts != trials {
		t.Errorf("%d lines of CSV with a cost, %v, want %d", ofCosts, err, trials)
	}
	if len(r.Cells[0].Rows[0].ByKind) == 0 {
		t.Error("the results were changed")
	}
}
