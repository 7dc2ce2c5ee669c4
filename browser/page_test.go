package browser

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/timerbench/timerbench/report/answer"
)

// unfold opens all details.
const unfold = `document.querySelectorAll("details").forEach(d => { d.open = true; })`

// Charts fit the screen and are legible: a narrow screen gets its own drawings. Wide tables scroll in boxes of their own; no
// open table does on a desktop. The first screen shows the answer, the date, the machine and its warnings. The page is small enough to
// open at once.
func TestThePageFitsTheScreen(t *testing.T) {
	r, err1 := committed()
	path, err2 := whole()
	info, err3 := os.Stat(path)
	if err := cmp.Or(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	const mostBytes, mostElements = 3_850_000, 30_000
	if info.Size() > mostBytes {
		t.Errorf("the page has %d bytes, want at most %d", info.Size(), mostBytes)
	}
	heights := map[string]float64{"phone": 26_000, "tablet": 20_000, "desk": 13_000} // in pixels, at most
	for name, s := range map[string]size{"phone": phone, "tablet": {820, 1180}, "desk": {1280, 800}} {
		p := open(t, whole, s)
		p.picture(name)
		if n, h := eval[int](p, `document.querySelectorAll("*").length`), eval[float64](p, `document.documentElement.scrollHeight`); n > mostElements || h > heights[name] {
			t.Errorf("%s: %d elements and %v pixels high, want at most %d and %v", name, n, h, mostElements, heights[name])
		}
		made := get(p, chromedp.Text(chromedp.CSS(".made")))
		for _, want := range []string{r.Created.UTC().Format("2 January 2006"), r.Environment.CPU, "The machine"} {
			if !strings.Contains(made, want) {
				t.Errorf("%s: %q does not say %q", name, made, want)
			}
		}
		if bottom := eval[float64](p, `document.querySelector("#ask").getBoundingClientRect().bottom`); bottom > float64(s.height) {
			t.Errorf("%s: the sentence, the map and the form end at %.0f pixels of %d", name, bottom, s.height)
		}
		if open := map[string]string{"desk": "#ranking"}[name]; open != "" {
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
		if n := eval[int](p, `document.querySelectorAll(".part .wide table").length`); n < 50 {
			t.Errorf("%s: unfolded, the page has %d tables", name, n)
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
	if n := eval[int](p, `[...document.querySelectorAll("#verdict, #lines, #map svg, #ranking table")]`+shown+`.length`); n != 4 {
		t.Error("the answer is not printed")
	}
	if tables := eval[[]string](p, `[...document.querySelectorAll(".rest table")]`+shown+`.map(t => t.tHead.textContent.replace(/\s+/g, " "))`); len(tables) != 1 || !strings.HasPrefix(tables[0], "WorkloadNTake") {
		t.Errorf("the tables %q are printed, want the fastest structures", tables)
	}
	charts := eval[int](p, `[...document.querySelectorAll("figure svg")]`+shown+`.length`)
	if want := eval[int](p, `[...document.querySelectorAll("figure")].filter(f => !f.closest("details:not(.part)")).length`); charts != want || charts < 5 {
		t.Errorf("%d charts are printed, want %d", charts, want)
	}
	if controls := eval[int](p, `[...document.querySelectorAll("#ask")]`+shown+`.length`); controls > 0 {
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

// Without its script the page has the first answer, the charts and the main table.
func TestThePageWorksWithoutAScript(t *testing.T) {
	p := open(t, part, desk)
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	p.do(chromedp.Reload())
	p.picture("no-script")
	if got, want := p.texts("#lines p"), firstLines(t); !slices.Equal(got, want) {
		t.Errorf("the page says %q, want %q", got, want)
	}
	p.do(chromedp.WaitVisible(chromedp.CSS("#map svg")), chromedp.WaitNotVisible(chromedp.CSS("#ask")))
}

// firstLines are the lines of the first answer of the page.
func firstLines(t *testing.T) []string {
	t.Helper()
	a := adviser(t)
	x, err := a.Answer(a.First()[0])
	if err != nil {
		t.Fatal(err)
	}
	return x.Lines
}

// A program answers instead of the other controls, until one of these changes.
func TestAProgramAnswersInsteadOfTheControls(t *testing.T) {
	p := open(t, part, desk)
	lines := func() string { return strings.Join(p.texts("#lines p"), " ") }
	first := lines()
	form := adviser(t).Form()
	tcp := form.Programs[slices.IndexFunc(form.Programs, func(x answer.ProgramAnswer) bool { return x.Name == "tcp" })]
	option := eval[string](p, `[...document.querySelectorAll("#ask select[name=program] option")].map(o => o.value).find(v => v.startsWith("tcp"))`)
	p.choose("program", option)
	if got, want := lines(), strings.Join(tcp.Answer.Lines, " "); got != want {
		t.Errorf("of the program the page says %q, want %q", got, want)
	}
	p.choose("delays", "uniform")
	if program := eval[string](p, `document.querySelector("#ask select[name=program]").value`); program != "any" || lines() == first {
		t.Errorf("after other delays were chosen the program is %q, and the page says %q", program, lines())
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
	at := 1 + slices.Index(p.texts("#ranking th"), "Bytes")
	header := fmt.Sprintf("#ranking th:nth-child(%d)", at)
	before := p.column("#ranking", 1)
	press := func() { p.do(chromedp.Click(chromedp.CSS(header + " [role=button]"))) }
	bytes := func() []float64 {
		return eval[[]float64](p, `[...document.querySelectorAll(%s)].map(e => e.dataset.value).filter(Boolean).map(Number)`, fmt.Sprintf("#ranking tbody td:nth-child(%d)", at))
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
	sizes := eval[[]float64](p, `(() => {
		const table = [...document.querySelectorAll(".rest table")].find(t => [...t.tHead.rows[0].cells].some(c => c.textContent === "N") && t.tBodies[0].rows.length > 5);
		const at = [...table.tHead.rows[0].cells].findIndex(c => c.textContent === "N");
		table.tHead.rows[0].cells[at].querySelector("[role=button]").click();
		return [...table.tBodies[0].rows].map(r => Number(r.cells[at].dataset.value));
	})()`)
	if !slices.IsSorted(sizes) || len(sizes) < 6 {
		t.Errorf("by N: %v", sizes)
	}
}

// pins returns the pinned structures of the charts and of the tables.
const pins = `["svg [data-structure].pin", "td.pin, tr.pin"].map(s => [...new Set([...document.querySelectorAll(s)].map(e => e.dataset.structure))].filter(Boolean).sort().join(" "))`

// A click on a structure anywhere pins it everywhere.
func TestAStructureIsPinnedEverywhere(t *testing.T) {
	p := open(t, part, desk)
	eval[any](p, unfold)
	want := func(where string, names ...string) {
		t.Helper()
		slices.Sort(names)
		for i, got := range eval[[]string](p, pins) {
			if got != strings.Join(names, " ") {
				t.Errorf("%s: %q is pinned in %s, want %q", where, got, []string{"charts", "tables"}[i], names)
			}
		}
	}
	want("at first")
	p.do(chromedp.Click(chromedp.CSS(`#ranking td[data-structure=auto]`)))
	want("in a table", "auto")
	p.do(chromedp.Click(chromedp.CSS(`#scale g[data-structure=rbtree] text`)))
	want("in a chart", "auto", "rbtree")
	p.picture("pinned")
	p.do(chromedp.Click(chromedp.CSS(`#ranking td[data-structure=auto]`)))
	want("once more", "rbtree")
	p.do(chromedp.KeyEvent(kb.Escape))
	want("after Escape")
}

// state is the choices of the form and its answer.
const state = `[...document.querySelectorAll("#ask select")].map(s => s.value).concat(document.getElementById("lines").textContent).join("; ")`

// The address holds the choices, and a page opened with it shows them again. A bad address gives the first question.
func TestTheAddressHoldsWhatIsChosen(t *testing.T) {
	p := open(t, part, desk)
	first := eval[string](p, state)
	p.choose("timers", "100")
	p.choose("by", "memory")
	chosen, hash := eval[string](p, state), eval[string](p, `location.hash`)
	if chosen == first || !strings.Contains(hash, "timers=100&") || !strings.Contains(hash, "by=memory") {
		t.Errorf("the address ends with %q, and the page shows %s", hash, chosen)
	}
	p.do(chromedp.Reload())
	p.ready()
	p.settle()
	if got := eval[string](p, state); got != chosen {
		t.Errorf("after it was loaded again the page shows\n%s, want\n%s", got, chosen)
	}
	for _, hash := range []string{"nonsense", "program=caddy", "timers=7&mix=x", "%E0%A4%A&by=many", "=&&="} {
		eval[any](p, `location.hash = %s`, "timers=100&by=memory&at="+hash[:1])
		p.settle()
		eval[any](p, `location.hash = %s`, hash)
		p.settle()
		if got := eval[string](p, state); got != first {
			t.Errorf("#%s: the page shows %s, want %s", hash, got, first)
		}
	}
}

// The keyboard reaches the form, in the order of the page, and the columns of tables.
func TestTheKeyboardIsEnough(t *testing.T) {
	p := open(t, part, desk)
	var order []string
	for range 8 {
		p.do(chromedp.KeyEvent(kb.Tab))
		order = append(order, eval[string](p, `(() => { const e = document.activeElement; return e.name || e.id || e.textContent.trim().slice(0, 20); })()`))
	}
	if want := []string{"map", "timers", "mix", "delays", "by", "fires", "program", "ranking"}; !slices.Equal(order, want) {
		t.Errorf("the focus goes to %q, want %q", order, want)
	}
	before := eval[string](p, state)
	p.do(chromedp.Focus(chromedp.CSS("#ask select[name=by]")), chromedp.KeyEvent(kb.ArrowDown))
	if after := eval[string](p, state); after == before || !strings.Contains(after, "tail") {
		t.Errorf("after an arrow key the page says %q", after)
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
		case "button", "combobox", "link", "region", "image", "DisclosureTriangle":
			used[role]++
			if text(node.Name) == "" {
				t.Errorf("a %s without a name", role)
			}
		}
	}
	for _, role := range []string{"combobox", "button", "image"} {
		if used[role] == 0 {
			t.Errorf("no %s among %v", role, used)
		}
	}
	if live := p.texts("[aria-live]"); len(live) != 1 {
		t.Errorf("%d parts are announced, want the answer: %q", len(live), live)
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

// From the first paint on, the page shows only the answer to its address.
func TestNoOtherAnswerFlashes(t *testing.T) {
	p := open(t, part, desk)
	call(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		window.shown = new Set();
		const look = () => {
			const e = document.getElementById("lines");
			if (e && e.checkVisibility({ visibilityProperty: true })) window.shown.add(e.textContent);
			requestAnimationFrame(look);
		};
		look();`})
	path, err := part()
	p.check(err)
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate("file://"+path+"#timers=100&mix=90+%25+cancelled"))
	p.ready()
	p.settle()
	got := eval[[]string](p, `[...window.shown]`)
	if len(got) != 1 || got[0] != eval[string](p, `document.getElementById("lines").textContent`) {
		t.Errorf("the page has shown %q", got)
	}
}
