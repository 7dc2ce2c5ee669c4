package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The commands that the documents show exist, and so do their flags.
func TestTheCommandsOfTheDocumentsExist(t *testing.T) {
	t.Parallel()
	lines := 0
	for _, file := range []string{"../../docs/measuring.md", "../../docs/scenarios.md", "../../README.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^bin/timerbench ([^#\n>|]*)`).FindAllStringSubmatch(string(text), -1) {
			line, _, _ := strings.Cut(m[1], " && ")
			line, _, _ = strings.Cut(line, " -- ")
			words := strings.Fields(strings.ReplaceAll(line, "'", ""))
			cmd, rest, err := newRoot().Find(words)
			if err != nil || cmd.Name() == "timerbench" {
				t.Errorf("%s: %q: %v", file, line, err)
				continue
			}
			if err := cmd.ParseFlags(rest); err != nil {
				t.Errorf("%s: %q: %v", file, line, err)
			}
			lines++
		}
	}
	if lines < 15 {
		t.Errorf("%d commands are shown, want at least 15", lines)
	}
}

// Each check of doctor stands in the table that explains them.
func TestTheDocumentExplainsEachCheck(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/measuring.md")
	if err != nil {
		t.Fatal(err)
	}
	table := string(text[:strings.Index(string(text), "## Compare two builds")])
	for _, f := range examine() {
		if !strings.Contains(table, f.Check) {
			t.Errorf("docs/measuring.md does not explain the check %q", f.Check)
		}
	}
}
