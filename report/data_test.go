package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/structures/catalog"
)

// readData returns the data in a page, as its script reads them.
func readData(t *testing.T, html []byte) (out struct {
	Structures []dataStructure
	Answers    struct{ Answers []json.RawMessage }
	Later      map[string]string
},
) {
	t.Helper()
	block := regexp.MustCompile(`(?s)<script type="text/plain" id="data">(.*?)</script>`).FindSubmatch(html)
	if block == nil {
		t.Fatal("no data in the page")
	}
	if err := json.Unmarshal(unpacked(t, string(block[1])), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// unpacked is what a page holds in compressed form.
func unpacked(t *testing.T, text string) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// IDs that the script looks for are its own, whatever the titles are.
func TestTitlesDoNotTakeTheIDsOfThePage(t *testing.T) {
	t.Parallel()
	p := newPage(viewOf(compact(), testKnowledge(six)), nil, catalog.All())
	for _, own := range ownID.FindAllStringSubmatch(pageSource, -1) {
		id := own[1]
		p.Sections = append(p.Sections, section.Section{Title: id, Tables: []section.Table{{Title: id, Body: show.Para("text")}}})
	}
	html, err := p.html()
	if err != nil {
		t.Fatal(err)
	}
	got := readHTML(t, html) // fails if an ID stands twice
	for _, id := range regexp.MustCompile(`\$\("([a-z-]+)"\)`).FindAllStringSubmatch(pageScript, -1) {
		if !slices.Contains(got.ids, id[1]) {
			t.Errorf("the script looks for %s, which is not there", id[1])
		}
	}
}

// The script is small and needs nothing else.
func TestTheScriptIsSmall(t *testing.T) {
	t.Parallel()
	const most = 30_000
	if n := len(pageScript); n > most {
		t.Errorf("%d bytes, at most %d are allowed", n, most)
	}
	for _, not := range []string{"fetch(", "XMLHttpRequest", "innerHTML", "eval(", "import(", "]]>", "</script"} {
		if strings.Contains(pageScript, not) {
			t.Errorf("the script has %s", not)
		}
	}
}
