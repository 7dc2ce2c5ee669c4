package browser

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

// unfold opens all details.
const unfold = `document.querySelectorAll("details").forEach(d => { d.open = true; })`

// Charts fit the screen and are legible: a narrow screen gets its own drawings. Wide tables scroll in boxes of their own; no
// open table does on a desktop, and the ranking does not on a phone. The first screen shows the date, the machine and its warnings.
func TestThePageDoesNotScrollSideways(t *testing.T) {
	r, err := committed()
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]size{"phone": phone, "tablet": {820, 1180}, "desk": desk} {
		p := open(t, whole, s)
		p.picture(name)
		made := get(p, chromedp.Text(chromedp.CSS(".made")))
		for _, want := range []string{r.Created.UTC().Format("2 January 2006"), r.Environment.CPU, "The machine"} {
			if !strings.Contains(made, want) {
				t.Errorf("%s: %q does not say %q", name, made, want)
			}
		}
		if bottom := eval[float64](p, `document.getElementById("import").checkVisibility() ? document.querySelector(".exceptions").getBoundingClientRect().bottom : 9999`); bottom > float64(s.height) && name != "tablet" {
			t.Errorf("%s: the verdict, the question, the import, the chart and the exceptions end at %.0f pixels of %d", name, bottom, s.height)
		}
		eval[any](p, `document.getElementById("others").open = true`)
		if open := map[string]string{"desk": ".wide", "phone": "#ranking"}[name]; open != "" {
			if wide := eval[[]string](p, `[...document.querySelectorAll(%s)].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map(e => e.scrollWidth + " " + e.textContent.slice(0, 80))`, open); len(wide) > 0 {
				t.Errorf("%s: open tables overflow: %q", name, wide)
			}
		}
		for _, state := range []string{"folded", "unfolded"} {
			if width := eval[int64](p, `document.documentElement.scrollWidth`); width > s.width {
				t.Errorf("%s, %s: the page is %d pixels wide on a screen of %d: %q", name, state, width, s.width, eval[[]string](p, `[...document.querySelectorAll("main *")]
					.filter(e => e.getBoundingClientRect().right > innerWidth && !e.closest(".wide, pre")).map(e => e.outerHTML.slice(0, 100)).slice(0, 5)`))
			}
			eval[any](p, unfold)
		}
		const least = 9 // pixels
		small := eval[[]string](p, `[...document.querySelectorAll("figure text")].filter(t => t.getClientRects().length && parseFloat(getComputedStyle(t).fontSize) * Math.hypot(t.getScreenCTM().c, t.getScreenCTM().d) < %s)
			.map(t => t.closest("figure").id + ": " + t.textContent)`, least-0.05)
		if len(small) > 0 && name != "tablet" {
			t.Errorf("%s: %d texts of charts are smaller than %d pixels: %q", name, len(small), least, small[:min(9, len(small))])
		}
		if edges := eval[int](p, `[...document.querySelectorAll(".over")].filter(e => e.scrollWidth > e.clientWidth + 2).length`); name == "phone" && edges < 5 {
			t.Errorf("%d boxes show that they scroll", edges)
		}
		p.picture(name + "-unfolded")
	}
}

// The printed page has the answer, the charts and the main table, and cuts nothing off.
func TestThePrintedPageIsTheAnswerTheChartsAndTheMainTable(t *testing.T) {
	const paper = 703 // pixels between the margins of A4
	p := open(t, whole, size{paper, 1000})
	pdf := get(p, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4), chromedp.PDFPreferCSSPageSize(), chromedp.PDFPrintBackground()))
	p.keep("print.pdf", pdf)
	if pages := bytes.Count(pdf, []byte("/Type /Page\n")); pages < 5 || pages > 20 {
		t.Errorf("%d pages, want 5 to 20", pages)
	}
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	const shown = `.filter(e => e.checkVisibility() && e.getBoundingClientRect().height > 0)`
	if n := eval[int](p, `[...document.querySelectorAll("#verdict, #sentence, #cost svg, .exceptions table, #ranking table")]`+shown+`.length`); n != 5 {
		t.Error("the answer is not printed")
	}
	if tables := eval[[]string](p, `[...document.querySelectorAll(".rest table")]`+shown+`.map(t => t.tHead.textContent.replace(/\s+/g, " "))`); len(tables) != 4 || !strings.HasPrefix(tables[3], "WorkloadNFastest") {
		t.Errorf("the tables %q are printed, want the ranking, the common questions, the machines and the fastest", tables)
	}
	charts := eval[int](p, `[...document.querySelectorAll("figure svg")]`+shown+`.length`)
	if want := eval[int](p, `[...document.querySelectorAll("figure")].filter(f => !f.closest("details:not(.part)")).length`); charts != want || charts < 5 {
		t.Errorf("%d charts are printed, want %d", charts, want)
	}
	if controls := eval[int](p, `[...document.querySelectorAll("#ask, #explore")]`+shown+`.length`); controls > 0 {
		t.Error("the controls are printed")
	}
	if cut := eval[[]string](p, `[...document.querySelectorAll("figure svg, .wide table")]`+shown+`.filter(e => e.getBoundingClientRect().right > innerWidth + 1)
		.map(e => Math.round(e.getBoundingClientRect().right) + " " + e.closest("figure, .wide").outerHTML.slice(0, 120))`); len(cut) > 0 {
		t.Errorf("%d charts and tables are cut off: %q", len(cut), cut[:min(9, len(cut))])
	}
}

// A dark page has dark charts with enough contrast.
func TestTheDarkPageIsDark(t *testing.T) {
	p := open(t, whole, desk)
	p.with("prefers-reduced-motion", "reduce")
	if got := eval[[]string](p, `[...new Set([...document.querySelectorAll("*")].map(e => { const s = getComputedStyle(e); return s.transitionDuration + " " + s.animationName; }))]`); !slices.Equal(got, []string{"0s none"}) {
		t.Errorf("transitions and animations where these are unwelcome: %q", got)
	}
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

// Without its script the page has the first answer, the answers to the standard questions, the charts and the main table.
func TestThePageWorksWithoutAScript(t *testing.T) {
	p := open(t, part, desk)
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	p.do(chromedp.Reload())
	p.picture("no-script")
	a := adviser(t)
	if got := get(p, chromedp.Text(chromedp.CSS("#sentence"))); !strings.HasPrefix(a.Typical()[0].Sentence(), got) || got == "" {
		t.Errorf("the page says %q, want %q", got, a.Typical()[0].Sentence())
	}
	eval[any](p, unfold)
	table := get(p, chromedp.Text(chromedp.CSS("#what-are-the-answers-to-common-questions")))
	for _, x := range a.Standard() {
		if !strings.Contains(table, x.Words()) || !strings.Contains(table, x.Name) {
			t.Errorf("the table does not answer %q", x.Words())
		}
	}
	p.do(chromedp.WaitNotVisible(chromedp.CSS("#ask")), chromedp.WaitNotVisible(chromedp.CSS("#explore")))
}

// The page opens on a question about any program. A program sets the controls, and they agree with the sentence.
func TestATraceSetsTheControls(t *testing.T) {
	p := open(t, part, desk)
	a := adviser(t)
	sentence := func() string { return get(p, chromedp.Text(chromedp.CSS("#sentence"))) }
	chosen := func() string {
		return strings.Join(eval[[]string](p, `[...document.querySelectorAll("#ask select")].map(s => s.value).filter(Boolean)`), ", ")
	}
	first := a.Typical()[0]
	neutral := first.Before + first.Name + first.After
	if got, want := chosen(), "1 million, not known, not known, any way, throughput, no, any"; sentence() != neutral || got != want {
		t.Errorf("at first the controls show %s, want %s: %s", got, want, sentence())
	}
	p.choose("program", "tcp")
	p.picture("trace")
	tcp := regexp.MustCompile(`^For about 99,\d+ timers, 99(\.\d)? % cancelled, any delays: `) // the run decides the rest
	if !tcp.MatchString(sentence()) {
		t.Errorf("of the program the page says %q, want %q", sentence(), tcp)
	}
	// Each control shows its value that is nearest to the program.
	if got, want := chosen(), "100,000, 90 %, 0 %, any way, throughput, no, tcp"; got != want {
		t.Errorf("with a program the controls show %s, want %s", got, want)
	}
	worth := eval[string](p, `(() => { const rate = document.getElementById("rate"); rate.value = 50000; rate.dispatchEvent(new Event("input")); return document.getElementById("worth").textContent; })()`)
	if !strings.HasPrefix(worth, "At 50,000 timers a second, ") {
		t.Errorf("at a rate, a program is worth %q", worth)
	}
	p.choose("cancelled", "not known")
	if got, want := chosen(), "100,000, not known, 0 %, any way, throughput, no, any"; got != want || !strings.HasPrefix(sentence(), "For about 100,000 timers, any share cancelled, none moved, any delays: ") {
		t.Errorf("after another share was chosen: %s, want %s: %s", got, want, sentence())
	}
	p.choose("program", "tcp")
	p.choose("program", "any")
	if got := sentence(); got != neutral {
		t.Errorf("after any program was chosen again the page says %q, want %q", got, neutral)
	}
}

// choose chooses an option of a control of the question.
func (p *tab) choose(control, option string) {
	p.Helper()
	eval[any](p, `(() => { const s = document.querySelector("#ask select[name=" + %s + "]"); s.value = %s; s.dispatchEvent(new Event("change", { bubbles: true })); })()`, control, option)
}

// column returns the texts of a column of a table.
func (p *tab) column(table string, i int) []string {
	p.Helper()
	return p.texts(fmt.Sprintf("%s tbody td:nth-child(%d)", table, i))
}

func TestTablesAreSortedByAnyColumn(t *testing.T) {
	p := open(t, part, desk)
	eval[any](p, unfold)
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

// pins returns the pinned structures of the charts, of the tables and of the list.
const pins = `["svg [data-structure].pin", "td.pin, tr.pin", "#pins [aria-pressed=true]"].map(s =>
	[...new Set([...document.querySelectorAll(s)].map(e => e.dataset.structure || e.dataset.pin || e.cells && e.querySelector("[data-pin]").dataset.pin))].filter(Boolean).sort().join(" "))`

// A click on a structure anywhere pins it everywhere.
func TestAStructureIsPinnedEverywhere(t *testing.T) {
	p := open(t, part, desk)
	eval[any](p, unfold)
	ranking := p.column("#ranking", 1)
	first, last := ranking[0], ranking[len(ranking)-1]
	inLegend := eval[string](p, fmt.Sprintf(`[...document.querySelectorAll("#scale g[data-structure]")].map(g => g.dataset.structure).find(s => s !== %q && s !== %q && %s.includes(s))`, first, last, jsonOf(ranking)))
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

// A filtered structure is shown nowhere. The rows of the heat map close up without overlaps.
func TestStructuresAreFiltered(t *testing.T) {
	a := adviser(t).Grid()
	for name, s := range map[string]size{"desk": desk, "phone": phone} {
		p := open(t, part, s)
		eval[any](p, unfold)
		toggle := func(what string) {
			t.Helper()
			p.do(chromedp.Click(chromedp.CSS(fmt.Sprintf("#pins input[name=%q]", what))))
			p.settle()
		}
		without := func(keep func(e entry.Entry) bool) {
			t.Helper()
			got := eval[[]string](p, `[...document.querySelectorAll("svg g[data-structure], #ranking td[data-pin], #pins button")]
				.filter(e => e.getClientRects().length > 0).map(e => e.dataset.structure || e.dataset.pin)`)
			for _, s := range a.Answers[0].Ranking {
				if e, _ := catalog.Find(s.Structure); slices.Contains(got, e.Name) != keep(e) {
					t.Errorf("%s: %s is shown: %v", name, e.Name, !keep(e))
				}
			}
		}
		// The middles of the rows of the first table of the map, and the height of the chart.
		rows := func() (middles []float64, height float64) {
			all := eval[[]float64](p, `(() => {
				const svg = [...document.querySelectorAll("#overview svg")].find(s => s.getClientRects().length);
				const all = [...svg.querySelectorAll(":scope > g[data-structure]")].map(g => g.getBoundingClientRect())
					.filter(b => b.height).map(b => b.top + b.height / 2);
				const end = all.findIndex((y, i) => i && (y < all[i - 1] || y > all[i - 1] + 60));
				return [svg.getBoundingClientRect().height, ...all.slice(0, end < 0 ? all.length : end)];
			})()`)
			return all[1:], all[0]
		}
		shelf := func(e entry.Entry) bool { return e.ThirdParty != "" }
		without(func(entry.Entry) bool { return true })
		before, height := rows()
		toggle("wheels")
		without(func(e entry.Entry) bool { return e.Family != entry.Wheels })
		p.picture("closed-" + name)
		after, lower := rows()
		if len(after) >= len(before) || len(after) < 5 || lower >= height {
			t.Errorf("%s: %d rows of %d are left, %v pixels high of %v", name, len(after), len(before), lower, height)
		}
		for k := range after[1:] {
			if pitch, d := before[1]-before[0], after[k+1]-after[k]; math.Abs(d-pitch) > 1 {
				t.Errorf("%s: row %d is %.1f pixels below the one before, want %.1f", name, k+1, d, pitch)
			}
		}
		toggle("off the shelf")
		without(func(e entry.Entry) bool { return e.Family != entry.Wheels && !shelf(e) })
		toggle("wheels")
		toggle("off the shelf")
		without(func(entry.Entry) bool { return true })
		if again, height2 := rows(); math.Abs(height2-height) > 1 || len(again) != len(before) {
			t.Errorf("%s: with all structures again the map is not as before", name)
		}
	}
}

// The address holds the choices, and a page opened with it shows them again.
func TestTheAddressHoldsWhatIsChosen(t *testing.T) {
	p := open(t, part, desk)
	state := func(p *tab) string {
		return eval[string](p, `[document.getElementById("sentence").textContent, ...[...document.querySelectorAll("#ask select")].map(s => s.value),
			...[...document.querySelectorAll("#pins input:not(:checked)")].map(c => c.name), document.querySelectorAll("#pins [aria-pressed=true]").length].join("; ")`)
	}
	first := state(p)
	p.choose("timers", "100")
	p.choose("matters", "memory")
	eval[any](p, `document.getElementById("explore").open = true`)
	p.do(chromedp.Click(chromedp.CSS(`#pins input[name=wheels]`)), chromedp.Click(chromedp.CSS(`#pins [data-pin=quadheap]`)))
	p.settle()
	chosen, hash := state(p), eval[string](p, `location.hash`)
	if chosen == first {
		t.Fatalf("nothing was chosen: %s", chosen)
	}
	for _, want := range []string{"timers=100&", "matters=memory", "without=wheels", "pin=quadheap"} {
		if !strings.Contains(hash, want) {
			t.Errorf("the address ends with %q, which has no %q", hash, want)
		}
	}
	p.do(chromedp.Reload())
	p.ready()
	p.settle()
	if got := state(p); got != chosen {
		t.Errorf("after it was loaded again the page shows\n%s, want\n%s", got, chosen)
	}
}

// The keyboard reaches everything that the mouse reaches, in the order of the page.
func TestTheKeyboardIsEnough(t *testing.T) {
	p := open(t, part, desk)
	focus := func() string {
		return eval[string](p, `(() => { const e = document.activeElement; return e.name || e.id || e.dataset.pin || e.textContent.trim().slice(0, 20); })()`)
	}
	var order []string
	for range 9 {
		p.do(chromedp.KeyEvent(kb.Tab))
		order = append(order, focus())
	}
	if want := []string{"timers", "cancelled", "moved", "delays", "matters", "late", "program", "rate", "cost"}; !slices.Equal(order, want) {
		t.Errorf("the focus goes to %q, want %q", order, want)
	}
	before := get(p, chromedp.Text(chromedp.CSS("#sentence")))
	p.do(chromedp.Focus(chromedp.CSS("#ask select[name=matters]")), chromedp.KeyEvent(kb.ArrowDown))
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

// Hovering over a series shows its name and its figures.
func TestASeriesNamesItselfAndItsFigures(t *testing.T) {
	p := open(t, part, desk)
	at := eval[[]float64](p, `(() => {
		document.querySelector("#idle-ticks").scrollIntoView({ block: "center" });
		const named = [...document.querySelectorAll("#idle-ticks g[data-structure]")].filter(g => /\d/.test((g.querySelector(":scope > title") || {}).textContent || ""));
		for (const g of named) for (const mark of g.querySelectorAll("circle, path")) {
			const box = mark.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
			if (g.contains(document.elementFromPoint(x, y))) return [x, y]; // no other series covers it
		}
	})()`)
	p.settle()
	p.do(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	p.do(chromedp.WaitVisible(chromedp.CSS("#hint")))
	if hint := get(p, chromedp.Text(chromedp.CSS("#hint"))); !strings.ContainsAny(hint, "0123456789") || !strings.Contains(hint, ":") {
		t.Errorf("the hint is %q", hint)
	}
	p.picture("hint")
}

// Every control has a name for screen readers.
func TestWhatCanBeUsedHasAName(t *testing.T) {
	p := open(t, part, desk)
	eval[any](p, `[...document.querySelectorAll("details")].slice(0, 8).forEach(d => { d.open = true; })`) // the others are like these
	tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	p.check(err)
	used := map[string]int{}
	for _, node := range tree.Nodes {
		if node.Ignored || node.Role == nil {
			continue
		}
		role := text(node.Role)
		switch role {
		case "button", "checkbox", "combobox", "link", "region", "image", "DisclosureTriangle":
			used[role]++
			if text(node.Name) == "" {
				t.Errorf("a %s without a name", role)
			}
		}
	}
	for _, role := range []string{"combobox", "button", "checkbox", "image"} {
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

// The page of a whole run is small enough to open at once, and its answer is on the first screen.
func TestThePageIsSmall(t *testing.T) {
	path, err := whole()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	const most = 3_850_000 // bytes
	if info.Size() > most {
		t.Errorf("the page has %d bytes, want at most %d", info.Size(), most)
	}
	for _, c := range []struct {
		name             string
		size             size
		elements, height float64 // at most
	}{
		{"desktop", size{1280, 800}, 30_000, 13_000},
		{"phone", phone, 30_000, 26_000},
	} {
		p := open(t, whole, c.size)
		p.picture(c.name)
		if n := eval[float64](p, `document.querySelectorAll("*").length`); n > c.elements {
			t.Errorf("%s: %v elements, want at most %v", c.name, n, c.elements)
		}
		if h := eval[float64](p, `document.documentElement.scrollHeight`); h > c.height {
			t.Errorf("%s: %v pixels high, want at most %v", c.name, h, c.height)
		}
		if bottom := eval[float64](p, `document.querySelector(".exceptions").getBoundingClientRect().bottom`); bottom > float64(c.size.height) {
			t.Errorf("%s: the first screen ends at %v of %d pixels", c.name, bottom, c.size.height)
		}
		eval[any](p, unfold)
		p.settle()
		if n := eval[float64](p, `document.querySelectorAll(".part .wide table").length`); n < 50 {
			t.Errorf("%s: unfolded, the page has %v tables", c.name, n)
		}
	}
}

// From the first paint on, the page shows only the answer to its address.
func TestNoOtherAnswerFlashes(t *testing.T) {
	p := open(t, part, desk)
	call(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		window.shown = new Set();
		const look = () => {
			const e = document.getElementById("sentence");
			if (e && e.checkVisibility({ visibilityProperty: true })) window.shown.add(e.textContent);
			requestAnimationFrame(look);
		};
		look();`})
	path, err := part()
	p.check(err)
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate("file://"+path+"#timers=100&cancelled=90+%25"))
	p.ready()
	p.settle()
	got := eval[[]string](p, `[...window.shown]`)
	if len(got) != 1 || !strings.HasPrefix(got[0], "For about 100 timers, 90 % cancelled, any delays: ") {
		t.Errorf("the page has shown %q", got)
	}
}

// A bad address gives the first question of the page.
func TestABadAddressGivesTheNeutralQuestion(t *testing.T) {
	p := open(t, part, desk)
	const state = `document.getElementById("sentence").textContent + [...document.querySelectorAll("#ask select")].map(s => s.value) + document.getElementById("rate").value`
	want := eval[string](p, state)
	for i, hash := range []string{"nonsense", "program=caddy", "timers=7&cancelled=x", "at=nowhere&pin=nobody&without=nothing", "%%E0%%A4%%A&rate=many", "=&&="} {
		eval[any](p, fmt.Sprintf(`location.hash = "timers=100&program=tcp&rate=%d"`, i+1))
		p.settle()
		if eval[string](p, state) == want {
			t.Fatal("a good address changes nothing")
		}
		eval[any](p, fmt.Sprintf(`location.hash = %q`, hash))
		p.settle()
		if got := eval[string](p, state); got != want {
			t.Errorf("#%s: the page shows %s, want %s", hash, got, want)
		}
	}
}
