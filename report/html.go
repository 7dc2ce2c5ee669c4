package report

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html/template"
	"regexp"
	"strings"

	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/draw"
	"github.com/timerbench/timerbench/report/section"
)

var (
	//go:embed page.html
	pageSource string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

type htmlPage struct {
	*page
	Policy string
	Style  template.CSS
	Script template.JS // empty: the page has none
}

// ownID finds the IDs of the template, which no title may take.
var ownID = regexp.MustCompile(`id="([a-z]+)"`)

// html writes the page as one self-contained file. Its charts are SVGs, so readers can search and
// copy their texts.
func (p *page) html() ([]byte, error) {
	if p.err != nil {
		return nil, p.err
	}
	out := htmlPage{page: p, Style: template.CSS(pageStyle + draw.CSS())}
	if p.view != nil {
		// XML would read the script as markup otherwise.
		out.Script = template.JS("//<![CDATA[\n" + pageScript + "//]]>")
	}
	out.Policy = policy(string(out.Style), string(out.Script))
	id := section.IDs()
	for _, own := range ownID.FindAllStringSubmatch(pageSource, -1) {
		id(own[1])
	}
	t, laterParts := template.New("page"), make(map[string]string)
	t.Funcs(template.FuncMap{
		"id": id, "inline": inline, "text": func(t show.Text) template.HTML { return template.HTML(t.HTML()) },
		// later leaves a part of the page to the script, which fills the element of that ID with it.
		// Without a script the part is written at once.
		"later": func(name string, of any, id string) (template.HTML, error) {
			var b bytes.Buffer
			err := t.ExecuteTemplate(&b, name, of)
			if out.Script == "" {
				return template.HTML(b.String()), err
			}
			laterParts[id] = b.String()
			return "", err
		},
		"data": func() (template.HTML, error) { return pack(p.data(laterParts)) },
	})
	var b bytes.Buffer
	err := template.Must(t.Parse(pageSource)).Execute(&b, out)
	return b.Bytes(), err
}

// pack returns JSON, compressed and as base64.
func pack(data any) (template.HTML, error) {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	e := json.NewEncoder(z)
	e.SetEscapeHTML(false)
	err = errors.Join(e.Encode(data), z.Close())
	return template.HTML(base64.StdEncoding.EncodeToString(packed.Bytes())), err
}

// policy is the content security policy of a page. The page loads nothing, and only the script and the
// style sheet with these digests apply.
func policy(style, script string) string {
	out := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + digest(style)
	if script != "" {
		out += "; script-src " + digest(script)
	}
	return out
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// inline returns an SVG without the attributes that the style sheet of the page sets anyway, a tenth of
// its bytes.
func inline(svg []byte) template.HTML { return template.HTML(superfluous.Replace(string(svg))) }

var superfluous = strings.NewReplacer(
	` lengthAdjust="spacingAndGlyphs"`, "",
	`class="ink" fill="#1a1a1a"`, `class="ink"`,
	`class="faded" fill="#555555"`, `class="faded"`,
)
