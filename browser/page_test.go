package browser

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/report/advice"
)

// unfold opens all details.
const unfold = `document.querySelectorAll("details").forEach(d => { d.open = true; })`

// All tables and charts that are wider than the page scroll in boxes of their own.
func TestThePageDoesNotScrollSideways(t *testing.T) {
	for name, s := range map[string]size{"phone": phone, "tablet": {820, 1180}, "desk": desk} {
		p := open(t, whole, s)
		p.picture(name)
		for _, state := range []string{"folded", "unfolded"} {
			if width := eval[int64](p, `document.documentElement.scrollWidth`); width > s.width {
				t.Errorf("%s, %s: the page is %d pixels wide on a screen of %d: %q", name, state, width, s.width, eval[[]string](p, `[...document.querySelectorAll("main *")]
					.filter(e => e.getBoundingClientRect().right > innerWidth && !e.closest("figure, .wide, pre")).map(e => e.outerHTML.slice(0, 100)).slice(0, 5)`))
			}
			eval[any](p, unfold)
		}
		if edges := eval[int](p, `[...document.querySelectorAll(".over")].filter(e => e.scrollWidth > e.clientWidth + 2).length`); name == "phone" && edges < 5 {
			t.Errorf("%d boxes show that they scroll", edges)
		}
		p.picture(name + "-unfolded")
	}
}

// Charts scroll rather than shrink beyond that.
func TestTextInChartsCanBeRead(t *testing.T) {
	const least = 9 // pixels
	for name, s := range map[string]size{"phone": phone, "desk": desk} {
		p := open(t, whole, s)
		eval[any](p, unfold)
		small := eval[[]string](p, `[...document.querySelectorAll("figure text")].filter(t => parseFloat(getComputedStyle(t).fontSize) * Math.hypot(t.getScreenCTM().c, t.getScreenCTM().d) < %s)
			.map(t => t.closest("figure").id + ": " + t.textContent)`, least-0.05)
		if len(small) > 0 {
			t.Errorf("%s: %d texts of charts are smaller than %d pixels: %q", name, len(small), least, small[:min(9, len(small))])
		}
	}
}

// On A4, each box shows all that is in it, and what is folded on the screen is open.
func TestThePrintedPageIsWhole(t *testing.T) {
	const paper = 703 // pixels between the margins of A4
	p := open(t, whole, size{paper, 1000})
	p.keep("print.pdf", get(p, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4), chromedp.PDFPreferCSSPageSize(), chromedp.PDFPrintBackground())))
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	if eval[int](p, `document.querySelectorAll("details").length`) < 5 {
		t.Error("nothing is folded")
	}
	if hidden := eval[int](p, `[...document.querySelectorAll(".rest details:not([open]) table")].filter(t => !t.checkVisibility({ contentVisibilityAuto: true }) || t.getBoundingClientRect().height === 0).length`); hidden > 0 {
		t.Errorf("%d tables are not printed", hidden)
	}
	if controls := eval[int](p, `[...document.querySelectorAll("#ask, .side")].filter(e => e.getBoundingClientRect().height > 0).length`); controls > 0 {
		t.Error("the controls are printed")
	}
	if cut := eval[[]string](p, `[...document.querySelectorAll("figure svg, .wide table")].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
		.map(e => Math.round(e.getBoundingClientRect().right) + " " + e.closest("figure, .wide").outerHTML.slice(0, 120))`); len(cut) > 0 {
		t.Errorf("%d charts and tables are cut off: %q", len(cut), cut[:min(9, len(cut))])
	}
}

// A dark page has dark charts, on which each colour can be told from the background.
func TestTheDarkPageIsDark(t *testing.T) {
	p := open(t, whole, desk)
	p.with("prefers-color-scheme", "dark")
	p.picture("dark")
	eval[any](p, `document.querySelector("figure").scrollIntoView()`)
	p.picture("dark-chart")
	if dim := eval[[]string](p, `[...document.querySelectorAll("figure svg text.ink")].filter(e => getComputedStyle(e).fill !== getComputedStyle(document.body).color).map(e => e.textContent)`); len(dim) > 0 {
		t.Errorf("%d titles have another colour than the text: %q", len(dim), dim[:min(9, len(dim))])
	}
	const luminance = `const luminance = (c) => { const m = c.match(/[\d.]+/g).map(Number);
		const f = m.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };`
	if l := eval[float64](p, `(() => {`+luminance+` return luminance(getComputedStyle(document.body).backgroundColor); })()`); l > 0.02 {
		t.Errorf("the page has the luminance %.2f", l)
	}
	if light := eval[[]string](p, `(() => {`+luminance+` return [...document.querySelectorAll("figure svg .paper, figure svg .shade")]
		.filter(e => luminance(getComputedStyle(e).fill) > 0.05).map(e => e.closest("figure").id); })()`); len(light) > 0 {
		t.Errorf("%d fields are light on a dark page: %q", len(light), slices.Compact(light))
	}
	faint := eval[[]string](p, `(() => {`+luminance+` const paper = luminance(getComputedStyle(document.body).backgroundColor) + 0.05;
		const faint = (c) => c !== "none" && (luminance(c) + 0.05) / paper < 3;
		return [...document.querySelectorAll("svg [data-structure] > path, svg [data-structure] > circle")].filter(e => !e.closest("g").querySelector("text") &&
			!/paper|shade|frame|rule/.test(e.getAttribute("class") || "") && (e.hasAttribute("fill") ? faint(getComputedStyle(e).fill) : faint(getComputedStyle(e).stroke)))
			.map(e => e.closest("figure").id + ": " + e.parentElement.dataset.structure + " " + (e.getAttribute("fill") || e.getAttribute("stroke"))); })()`)
	if len(faint) > 0 {
		slices.Sort(faint)
		faint = slices.Compact(faint)
		t.Errorf("%d marks are hard to see on a dark page: %q", len(faint), faint[:min(9, len(faint))])
	}
}

func TestNothingMovesWhereThatIsUnwelcome(t *testing.T) {
	const durations = `[...new Set([...document.querySelectorAll("*")].map(e => { const s = getComputedStyle(e); return s.transitionDuration + " " + s.animationName; }))]`
	p := open(t, whole, desk)
	p.with("prefers-reduced-motion", "reduce")
	if got := eval[[]string](p, durations); !slices.Equal(got, []string{"0s none"}) {
		t.Errorf("transitions and animations: %q", got)
	}
}

// Without its script the page is complete: the first answer, those to the standard questions, all charts and tables.
func TestThePageWorksWithoutAScript(t *testing.T) {
	r, err := committed()
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, whole, desk)
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	p.do(chromedp.Reload())
	p.picture("no-script")
	a := advice.New(r)
	if got := get(p, chromedp.Text(chromedp.CSS("#sentence"))); got != a.Typical()[0].Sentence {
		t.Errorf("the page says %q, want %q", got, a.Typical()[0].Sentence)
	}
	table := get(p, chromedp.Text(chromedp.CSS(".top details")))
	for _, x := range a.Standard() {
		if !strings.Contains(table, x.Words()) || !strings.Contains(table, x.Ranking[0].Structure) {
			t.Errorf("the table does not answer %q", x.Words())
		}
	}
	p.do(chromedp.WaitNotVisible(chromedp.CSS("#ask")), chromedp.WaitNotVisible(chromedp.CSS("#explore")))
}

// traced is the path of a page of which one workload was recorded.
func traced() (string, error) {
	r, err := tracedRun()
	if err != nil {
		return "", err
	}
	return write("traced", r)
}

func tracedRun() (*results.Run, error) {
	r, err := committed()
	if err != nil {
		return nil, err
	}
	some := *r
	some.Cells = nil
	for _, c := range r.Cells {
		if c.Grid != nil || c.Workload == "tcp" {
			some.Cells = append(some.Cells, c)
		}
	}
	some.Parameters.Traces = map[string]results.Recording{"tcp": {File: "tcp.trace"}}
	return &some, nil
}

func TestATraceSetsTheControls(t *testing.T) {
	r, err := tracedRun()
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, traced, desk)
	p.picture("trace")
	a := advice.New(r)
	sentence := func() string { return get(p, chromedp.Text(chromedp.CSS("#sentence"))) }
	chosen := func() string {
		return strings.Join(eval[[]string](p, `[...document.querySelectorAll("#ask input:checked")].map(i => i.parentElement.textContent)`), ", ")
	}
	if got, want := sentence(), a.Typical()[0].Sentence; got != want {
		t.Errorf("the page says %q, want %q", got, want)
	}
	_, questions := a.Recorded()
	if got, want := chosen(), "100,000, 90 %, any way, throughput, yes, tcp"; got != want {
		t.Errorf("the controls show %s, want %s for %+v", got, want, questions[0])
	}
	p.do(chromedp.Click(chromedp.CSS(`#ask label:has([name=cancelled])`)))
	if got := chosen(); got != "100,000, 0 %, any way, throughput, yes, any" || !strings.HasPrefix(sentence(), "For about 100,000 timers, none cancelled, any delays: ") {
		t.Errorf("after another share was chosen: %s: %s", got, sentence())
	}
	p.do(chromedp.Click(chromedp.CSS(`#ask label:has([name=program]):last-of-type`)))
	if got, want := sentence(), a.Typical()[0].Sentence; got != want {
		t.Errorf("after the trace was chosen again the page says %q, want %q", got, want)
	}
}

// column returns the texts of a column of a table.
func (p *tab) column(table string, i int) []string {
	p.Helper()
	return p.texts(fmt.Sprintf("%s tbody td:nth-child(%d)", table, i))
}

func TestTablesAreSortedByAnyColumn(t *testing.T) {
	p := open(t, whole, desk)
	const header = "#ranking th:nth-child(5)" // bytes
	before := p.column("#ranking", 1)
	press := func() { p.do(chromedp.Click(chromedp.CSS(header + " [role=button]"))) }
	bytes := func() []float64 {
		var out []float64
		for _, text := range p.column("#ranking", 5) {
			if v, err := strconv.ParseFloat(text, 64); err == nil {
				out = append(out, v)
			}
		}
		return out
	}
	sort := func() string { return get(p, chromedp.AttributeValue(chromedp.CSS(header), "aria-sort")).Value }
	press()
	if got := bytes(); !slices.IsSorted(got) || len(got) < 5 || sort() != "ascending" {
		t.Errorf("%s: %v", sort(), got)
	}
	p.do(chromedp.Focus(chromedp.CSS(header+" [role=button]")), chromedp.KeyEvent(kb.Enter)) // the keyboard does it, too
	if got := bytes(); !slices.IsSortedFunc(got, func(a, b float64) int { return cmp.Compare(b, a) }) || sort() != "descending" {
		t.Errorf("%s: %v", sort(), got)
	}
	press()
	if got := p.column("#ranking", 1); !slices.Equal(got, before) || sort() != "" {
		t.Errorf("%s: in the first order again: %q, want %q", sort(), got, before)
	}
	p.do(chromedp.Click(chromedp.CSS("#ranking th:first-child [role=button]")))
	if got := p.column("#ranking", 1); !slices.IsSorted(got) {
		t.Errorf("by name: %q", got)
	}
	// Numbers with units and scales: all headers of all tables.
	if without := eval[[]string](p, `[...document.querySelectorAll("th")].filter(th => th.closest("table").tBodies[0].rows.length > 1 && !th.querySelector("[role=button]")).map(th => th.textContent)`); len(without) > 0 {
		t.Errorf("columns that cannot be sorted: %q", without)
	}
	eval[any](p, unfold)
	sizes := eval[[]string](p, `(() => {
		const table = [...document.querySelectorAll(".rest table")].find(t => [...t.tHead.rows[0].cells].some(c => c.textContent === "N") && t.tBodies[0].rows.length > 5);
		const at = [...table.tHead.rows[0].cells].findIndex(c => c.textContent === "N");
		table.tHead.rows[0].cells[at].querySelector("[role=button]").click();
		return [...table.tBodies[0].rows].map(r => r.cells[at].textContent);
	})()`)
	if !slices.IsSortedFunc(sizes, func(a, b string) int { return cmp.Compare(amount(a), amount(b)) }) {
		t.Errorf("by N: %q", sizes)
	}
}

// amount reads a number such as 658k.
func amount(s string) float64 {
	scale := 1.0
	for unit, by := range map[string]float64{"k": 1e3, "M": 1e6} {
		if rest, ok := strings.CutSuffix(s, unit); ok {
			s, scale = rest, by
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return v * scale
}

// pins are the structures that are pinned in charts, in tables and in the list.
const pins = `["svg [data-structure].pin", "td.pin, tr.pin", "#pins [aria-pressed=true]"].map(s =>
	[...new Set([...document.querySelectorAll(s)].map(e => e.dataset.structure || e.dataset.pin || e.cells && e.querySelector("[data-pin]").dataset.pin))].filter(Boolean).sort().join(" "))`

// A click on a structure pins it everywhere, wherever it was.
func TestAStructureIsPinnedEverywhere(t *testing.T) {
	p := open(t, whole, desk)
	const unfoldRanking = "#ranking > button"
	p.do(chromedp.Click(chromedp.CSS(unfoldRanking)))
	ranking := p.column("#ranking", 1)
	p.do(chromedp.Click(chromedp.CSS(unfoldRanking)))
	first, last := ranking[0], ranking[len(ranking)-1]
	if slices.Contains(p.column("#ranking", 1), last) {
		t.Fatalf("the short ranking holds the last one, %s", last)
	}
	inLegend := eval[string](p, fmt.Sprintf(`[...document.querySelectorAll("#scale g[data-structure]")].map(g => g.dataset.structure).find(s => s !== %q && s !== %q)`, first, last))
	want := func(where string, names ...string) {
		t.Helper()
		slices.Sort(names)
		for i, got := range eval[[]string](p, pins) {
			if got != strings.Join(names, " ") {
				t.Errorf("%s: %q is pinned in %s, want %q", where, got, []string{"charts", "tables", "the list"}[i], names)
			}
		}
	}
	want("at first")
	p.do(chromedp.Click(chromedp.CSS(fmt.Sprintf("#pins [data-pin=%s]", last))))
	want("in the list", last)
	if !slices.Contains(p.column("#ranking", 1), last) {
		t.Error("what is pinned is not in the ranking")
	}
	p.do(chromedp.Click(chromedp.CSS(fmt.Sprintf("#ranking td[data-pin=%s]", first))))
	want("in a table", first, last)
	p.do(chromedp.Click(chromedp.CSS(fmt.Sprintf("#ranking td[data-pin=%s]", first))))
	want("once more", last)
	p.do(chromedp.Click(chromedp.CSS(fmt.Sprintf("#scale g[data-structure=%s] text", inLegend))))
	want("in a legend", last, inLegend)
	p.picture("pinned")
	p.do(chromedp.KeyEvent(kb.Escape))
	want("after Escape")
}

func TestStructuresAreFiltered(t *testing.T) {
	p := open(t, whole, desk)
	eval[any](p, unfold)
	visible := func() []string {
		return eval[[]string](p, `[...new Set([...document.querySelectorAll("svg g[data-structure], #ranking td[data-pin], #pins button")]
			.filter(e => e.getClientRects().length > 0).map(e => e.dataset.structure || e.dataset.pin))].sort()`)
	}
	structures := eval[[]struct {
		Name, Family string
		Shelf        bool
	}](p, `JSON.parse(document.getElementById("data").textContent).structures`)
	without := func(keep func(family string, shelf bool) bool) {
		t.Helper()
		got := visible()
		for _, s := range structures {
			if slices.Contains(got, s.Name) != keep(s.Family, s.Shelf) {
				t.Errorf("%s, of %s, off the shelf %v: shown %v", s.Name, s.Family, s.Shelf, !keep(s.Family, s.Shelf))
			}
		}
	}
	without(func(string, bool) bool { return true })
	p.do(chromedp.Click(chromedp.CSS(`#pins input[name=wheels]`)))
	without(func(family string, _ bool) bool { return family != "wheels" })
	p.do(chromedp.Click(chromedp.CSS(`#pins input[name="off the shelf"]`)))
	without(func(family string, shelf bool) bool { return family != "wheels" && !shelf })
	p.picture("filtered")
	p.do(chromedp.Click(chromedp.CSS(`#pins input[name=wheels]`)), chromedp.Click(chromedp.CSS(`#pins input[name="off the shelf"]`)))
	without(func(string, bool) bool { return true })
}

// The table of ratios shows the paired ratios to any structure.
func TestTheBaselineIsChosen(t *testing.T) {
	r, err := committed()
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, whole, desk)
	eval[any](p, unfold)
	table := func() [][]string {
		return eval[[][]string](p, `[...document.querySelectorAll("[data-ratios] tr")].map(r => [...r.cells].map(c => c.textContent))`)
	}
	first := table()
	const base = "quadheap"
	p.do(chromedp.SetValue(chromedp.CSS("#baseline"), base))
	eval[any](p, `document.getElementById("baseline").dispatchEvent(new Event("change"))`)
	p.picture("baseline")
	got := table()
	checked := 0
	for _, row := range got[1:] {
		i := slices.IndexFunc(r.Cells, func(c results.Cell) bool { return c.Workload == row[0] && float64(c.N) == amount(row[1]) })
		if i < 0 {
			continue // its number of timers is rounded
		}
		samples := make(map[string][]stats.Sample)
		for _, c := range r.Cells[i].Rows {
			for _, trial := range c.Cost {
				if trial.NS > 0 && trial.Units > 0 {
					samples[c.Structure] = append(samples[c.Structure], stats.Sample{Layout: trial.Layout, Instance: trial.Instance, Round: trial.Round, Value: trial.NS / trial.Units})
				}
			}
		}
		for k, name := range got[0][2:] {
			want := "–"
			if ratio, ok := stats.Paired(samples[name], samples[base], stats.Options{}); ok && samples[base] != nil {
				want = fmt.Sprintf("%.3g", ratio.Center)
			}
			text := strings.TrimSuffix(row[2+k], "?")
			if text == want {
				checked++
				continue
			}
			v, err := strconv.ParseFloat(text, 64)
			w, _ := strconv.ParseFloat(want, 64)
			if digit := map[bool]float64{true: 0.0055, false: 0.055}[w < 1.995]; err != nil || math.Abs(v-w) > max(digit, w*0.055) {
				t.Errorf("%s, N = %s: %s is %s times %s, want %s", row[0], row[1], name, row[2+k], base, want)
			}
			checked++
		}
	}
	if checked < 300 {
		t.Errorf("%d ratios were checked", checked)
	}
	p.do(chromedp.SetValue(chromedp.CSS("#baseline"), ""))
	eval[any](p, `document.getElementById("baseline").dispatchEvent(new Event("change"))`)
	if again := table(); !slices.EqualFunc(first, again, slices.Equal) {
		t.Error("the ratios to the fastest are not as before")
	}
}

// The keyboard reaches all that the mouse does, in the order of the page.
func TestTheKeyboardIsEnough(t *testing.T) {
	p := open(t, whole, desk)
	focus := func() string {
		return eval[string](p, `(() => { const e = document.activeElement; return e.name || e.id || e.dataset.pin || e.textContent.trim().slice(0, 20); })()`)
	}
	var order []string
	for range 6 {
		p.do(chromedp.KeyEvent(kb.Tab))
		order = append(order, focus())
	}
	if want := []string{"timers", "cancelled", "delays", "matters", "late", "ranking"}; !slices.Equal(order, want) {
		t.Errorf("the focus goes to %q, want %q", order, want)
	}
	before := get(p, chromedp.Text(chromedp.CSS("#sentence")))
	p.do(chromedp.Focus(chromedp.CSS("#ask input[name=matters]:checked")), chromedp.KeyEvent(kb.ArrowRight))
	if after := get(p, chromedp.Text(chromedp.CSS("#sentence"))); after == before || !strings.Contains(after, "by tail") {
		t.Errorf("after an arrow key the page says %q", after)
	}
	// Series of a chart.
	eval[any](p, `[...document.querySelectorAll("figure")].find(f => f.querySelector("g[data-structure] > title")).focus()`)
	p.do(chromedp.KeyEvent(kb.ArrowRight))
	p.do(chromedp.WaitVisible(chromedp.CSS("#hint")))
	name := eval[string](p, `document.querySelector("svg .at").dataset.structure`)
	if hint, said := get(p, chromedp.Text(chromedp.CSS("#hint"))), get(p, chromedp.TextContent(chromedp.CSS("#said"))); !strings.HasPrefix(hint, name) || said != hint {
		t.Errorf("the hint on %s is %q, and %q is said", name, hint, said)
	}
	p.do(chromedp.KeyEvent(kb.Enter))
	if got := eval[[]string](p, pins); got[0] != name {
		t.Errorf("%s is not pinned by the keyboard: %q", name, got)
	}
}

// The mouse on a series shows its name and its figures.
func TestASeriesNamesItselfAndItsFigures(t *testing.T) {
	p := open(t, whole, desk)
	at := eval[[]float64](p, `(() => {
		const g = [...document.querySelectorAll("figure g[data-structure]")].find(g => /\d/.test((g.querySelector(":scope > title") || {}).textContent || ""));
		g.scrollIntoView({ block: "center" });
		const box = (g.querySelector("circle, path")).getBoundingClientRect();
		return [box.x + box.width / 2, box.y + box.height / 2];
	})()`)
	p.settle()
	p.do(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	p.do(chromedp.WaitVisible(chromedp.CSS("#hint")))
	if hint := get(p, chromedp.Text(chromedp.CSS("#hint"))); !strings.ContainsAny(hint, "0123456789") || !strings.Contains(hint, ":") {
		t.Errorf("the hint is %q", hint)
	}
	p.picture("hint")
}

// A screen reader finds a name for whatever can be used.
func TestWhatCanBeUsedHasAName(t *testing.T) {
	p := open(t, whole, desk)
	eval[any](p, unfold)
	tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	p.check(err)
	used := map[string]int{}
	for _, node := range tree.Nodes {
		if node.Ignored || node.Role == nil {
			continue
		}
		role := text(node.Role)
		switch role {
		case "radio", "radiogroup", "button", "checkbox", "combobox", "link", "region", "image", "navigation", "DisclosureTriangle":
			used[role]++
			if text(node.Name) == "" {
				t.Errorf("a %s without a name", role)
			}
		}
	}
	for _, role := range []string{"radio", "radiogroup", "button", "checkbox", "link", "image", "navigation"} {
		if used[role] == 0 {
			t.Errorf("no %s among %v", role, used)
		}
	}
	if live := p.texts("[aria-live], [role=status]"); len(live) != 2 {
		t.Errorf("%d parts are announced, want the answer and what was done: %q", len(live), live)
	}
}

func text(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var out string
	if err := json.Unmarshal(v.Value, &out); err != nil {
		return string(v.Value)
	}
	return out
}
