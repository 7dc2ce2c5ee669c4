package report

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/report/advice"
	"github.com/timerbench/timerbench/report/internal/section"
)

// readData returns the data in a page, as its script reads them.
func readData(t *testing.T, html []byte) (out struct {
	Structures []dataStructure
	Answers    json.RawMessage
},
) {
	t.Helper()
	block := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindSubmatch(html)
	if block == nil {
		t.Fatal("no data in the page")
	}
	if err := json.Unmarshal(block[1], &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// The script has the answers of package advice, and knows each structure of the results.
func TestThePageHoldsWhatItsScriptLooksUp(t *testing.T) {
	t.Parallel()
	r := compact()
	known := testKnowledge(six)
	known.Entries[5].ThirdParty, known.Entries[5].Package = "example.com/other", "example.com/skiplist"
	v := viewOf(r, known)
	_, _, html := htmlOf(t, v)
	got := readData(t, html)
	answers, err := advice.Of(v.Run).GridJSON()
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Answers) != string(answers) {
		t.Error("the answers of the page are not those of package advice")
	}
	var names []string
	for _, s := range got.Structures {
		names = append(names, s.Name)
		own := s.Name != "skiplist"
		family := map[string]string{"hwheel": "wheels", "skiplist": "lists", "foreign": "others"}[s.Name]
		if s.ThirdParty == own || (s.Import == "") != own || family != "" && s.Family != family || !regexp.MustCompile(`^#[0-9a-f]{6}$`).MatchString(s.Color) {
			t.Errorf("%+v", s)
		}
	}
	if want := append(slices.Clone(six), "foreign"); !slices.Equal(names, want) {
		t.Errorf("the structures are %q, want %q", names, want)
	}
}

// Readers without a script see the first answer and a table of the others.
func TestThePageAnswersWithoutItsScript(t *testing.T) {
	t.Parallel()
	r := compact()
	v := viewOf(r, testKnowledge(six))
	a := advice.Of(v.Run)
	page, _, html := htmlOf(t, v)
	got := readHTML(t, html)
	first := a.Typical()[0]
	if !slices.Contains(got.texts["p"], first.Sentence) || !slices.Contains(got.texts["strong"], first.Ranking[0].Structure) {
		t.Errorf("no paragraph says %q", first.Sentence)
	}
	if first.Far == "" || !slices.Contains(got.texts["p"], first.Far) {
		t.Errorf("no paragraph says %q", first.Far)
	}
	if !strings.Contains(string(html), `<th class="l">Answer</th>`) {
		t.Error("the answers are not aligned to the left")
	}
	markdown := page.markdown()
	for _, x := range a.Typical() {
		name := section.Literal(x.Ranking[0].Structure)
		if !strings.Contains(markdown, "- "+strings.Replace(section.Literal(x.Sentence), ": "+name, ": **"+name+"**", 1)) {
			t.Errorf("the Markdown does not say %q", x.Sentence)
		}
	}
	for _, x := range a.Standard() {
		answer := strings.TrimPrefix(x.Sentence, "For "+x.Words()+": ")
		if i := slices.Index(got.texts["td"], x.Words()); i < 0 || !strings.HasPrefix(got.texts["td"][i+1], answer) || !strings.Contains(got.texts["td"][i+1], x.Far) {
			t.Errorf("no row says %q", x.Sentence)
		}
	}
}

// IDs that the script looks for are its own, whatever the titles are.
func TestTitlesDoNotTakeTheIDsOfThePage(t *testing.T) {
	t.Parallel()
	p := newPage(viewOf(compact(), testKnowledge(six)), nil)
	for _, id := range ownIDs {
		p.sections = append(p.sections, section.Section{Title: id, Tables: []section.Table{{Title: id, Body: "text"}}})
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
