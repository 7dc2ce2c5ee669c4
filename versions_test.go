package timerbench_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

// release is a version of a library and the day or the month of its release.
type release struct{ Version, Date string }

// text returns the version and its date in words. It fails the test if one of them is missing.
func (r release) text(t *testing.T) string {
	for layout, shown := range map[string]string{"2006-01-02": "2 January 2006", "2006-01": "January 2006"} {
		if date, err := time.Parse(layout, r.Date); err == nil && r.Version != "" {
			return r.Version + ", " + date.Format(shown)
		}
	}
	t.Errorf("%+v: want a version and a date", r)
	return ""
}

// The page has a row for each peer, with the measured and the current version and their dates.
func TestEachPeerHasAMeasuredAndACurrentVersion(t *testing.T) {
	var file struct {
		Checked release
		Peers   []struct {
			Programs          []string
			Library, Source   string
			Measured, Current release
		}
	}
	if err := json.Unmarshal([]byte(read(t, "peers/versions.json")), &file); err != nil {
		t.Fatal(err)
	}
	table := "| program | library | measured | " + file.Checked.text(t) + " |\n|---|---|---|---|\n"
	have, versions := " ", make(map[string]string)
	for _, p := range file.Peers {
		have += strings.Join(p.Programs, " ") + " "
		if !revision.MatchString(p.Source) || cut.MatchString(p.Source) {
			t.Errorf("%s: no revision in %s", p.Library, p.Source)
		}
		project, _, _ := strings.Cut(strings.TrimPrefix(p.Source, "https://github.com/"), "/blob/")
		versions[project] = p.Measured.Version
		table += fmt.Sprintf("| `%s` | [%s](%s) | %s | %s |\n", strings.Join(p.Programs, "`, `"),
			strings.ReplaceAll(p.Library, "_", `\_`), p.Source, p.Measured.text(t), p.Current.text(t))
	}
	generated(t, "docs/field.md", "<!-- versions: written by go test -run Version -update . -->\n", "<!-- end of versions -->\n", table)

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
