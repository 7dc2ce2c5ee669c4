package doctest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// The page has a row for each peer, with the measured and the current version and their dates.
func TestEachPeerHasAMeasuredAndACurrentVersion(t *testing.T) {
	type release struct{ Version, Date string }
	var file struct {
		Checked string
		Peers   []struct {
			Programs          []string
			Library, Source   string
			Measured, Current release
		}
	}
	if err := json.Unmarshal([]byte(read(t, "peers/versions.json")), &file); err != nil {
		t.Fatal(err)
	}
	table := "| program | library | measured | current on " + file.Checked + " |\n|---|---|---|---|\n"
	complete := regexp.MustCompile(`\) \| [\w. ]*\d[\w. ]*, 20\d\d-\d\d(-\d\d)? \| [\w.]*\d[\w.]*, 20\d\d-\d\d(-\d\d)? \|\n$`)
	have, versions := " ", make(map[string]string)
	for _, p := range file.Peers {
		have += strings.Join(p.Programs, " ") + " "
		project, _, _ := strings.Cut(strings.TrimPrefix(p.Source, "https://github.com/"), "/blob/")
		versions[project] = p.Measured.Version
		row := fmt.Sprintf("| `%s` | [%s](%s) | %s, %s | %s, %s |\n", strings.Join(p.Programs, "`, `"), strings.ReplaceAll(p.Library, "_", `\_`),
			p.Source, p.Measured.Version, p.Measured.Date, p.Current.Version, p.Current.Date)
		if table += row; !complete.MatchString(row) {
			t.Errorf("no versions with dates: %s", row)
		}
	}
	Generated(t, *update, "docs/field.md", "<!-- versions: written by go test ./internal/doctest -run Version -update -->\n", "<!-- end of versions -->\n", table)

	for _, c := range []struct{ file, rule, what string }{
		{"peers/build.sh", `(?m)^(?:c|java_) (\S+) \S+ ([^"\s]+)`, "an adapter with a library"},
		{"peers/go.mod", `(?m)^\s+github\.com/(\w\S+?)(?:/v\d+)? v(\S+)$`, "a project"},
	} {
		found := 0
		for _, m := range regexp.MustCompile(c.rule).FindAllStringSubmatch(read(t, c.file), -1) {
			if version, ok := versions[m[1]]; ok && version == m[2] || strings.Contains(have, " "+m[1]+" ") {
				found++
			} else if ok || c.file == "peers/build.sh" {
				t.Errorf("%s has %s, %s %s, peers/versions.json has %q", c.file, c.what, m[1], m[2], version)
			}
		}
		if found < 6 {
			t.Errorf("%d rows for %s, want at least 6", found, c.file)
		}
	}
}
