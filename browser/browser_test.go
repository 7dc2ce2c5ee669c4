package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/timerbench/timerbench/bench/results"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/report"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/catalog"
)

// limit is the time limit of a test.
const limit = 2 * time.Minute

var (
	pages   string          // folder of the pages
	browser context.Context // one for all tests
	missing string          // why there is none
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		missing = "there is no chromium: apt-get install chromium (Debian), or brew install chromium"
		return m.Run()
	}
	var err error
	if pages, err = os.MkdirTemp("", "browser"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(pages) }() // that of the system
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.Flag("hide-scrollbars", false))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it refuses to run as root otherwise
	}
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	browser, cancel = chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// committed is the last run of docs/results.
var committed = sync.OnceValues(kept.Last)

// some is the committed run with fewer structures and workloads, one of them recorded. Its page opens faster.
var some = sync.OnceValues(func() (*results.Run, error) {
	r, err := committed()
	if err != nil {
		return nil, err
	}
	r = r.Among(results.RoleExternal)
	keep := strings.Fields("list sortedlist quadheap minheap hwheel auto wheel hwheel-linux rbtree rbtree-gods skiplist radixheap ladder calendar null")
	r.Cells = slices.DeleteFunc(r.Cells, func(c results.Cell) bool { return c.Grid == nil && c.Workload != "tcp" && c.Workload != "hold" })
	for i := range r.Cells {
		c := &r.Cells[i]
		c.Rows = slices.DeleteFunc(slices.Clone(c.Rows), func(row results.Row) bool { return !slices.Contains(keep, row.Structure) })
	}
	r.Parameters.Traces = map[string]results.Recording{"tcp": {File: "tcp.trace"}}
	return r, nil
})

// whole and part are the paths of the pages of these runs.
var (
	whole = sync.OnceValues(func() (string, error) { return write("whole", committed) })
	part  = sync.OnceValues(func() (string, error) { return write("part", some) })
)

// verdict is the verdict of the kept runs.
var verdict = sync.OnceValues(func() (answer.Verdict, error) {
	runs, err := kept.All()
	return answer.VerdictOf(runs, catalog.All()), err
})

func write(name string, of func() (*results.Run, error)) (string, error) {
	r, err := of()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(pages, name)
	return filepath.Join(dir, report.HTMLPage), report.Write(dir, answer.Of(r, catalog.All()), verdict)
}

// action is a step in a browser.
type action = chromedp.Action[chromedp.Void]

// tab is a page in the browser. It fails the test if the page logs an error, breaks its policy or fetches
// anything.
type tab struct {
	*testing.T
	ctx context.Context
}

// size of a window, in pixels.
type size struct{ width, height int64 }

var (
	desk  = size{1400, 900}
	phone = size{390, 844}
)

// open opens a page.
func open(t *testing.T, page func() (string, error), s size) *tab {
	t.Helper()
	if missing != "" {
		t.Skip(missing)
	}
	path, err := page()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(browser, limit)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	p := &tab{t, ctx}
	url := "file://" + path
	said := make(map[string]bool)
	complain := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !said[text] {
			said[text] = true
			t.Error(text)
		}
	}
	p.check(chromedp.Listen(ctx, func(event any) {
		switch event := event.(type) {
		case *network.EventRequestWillBeSent:
			if event.Request.URL != url {
				complain("the page fetches %s", event.Request.URL)
			}
		case *runtime.EventExceptionThrown:
			complain("the page fails: %s %s", event.ExceptionDetails.Text, event.ExceptionDetails.Exception.Description)
		case *runtime.EventConsoleAPICalled:
			complain("the console says %v", event.Args)
		case *log.EventEntryAdded:
			complain("the log says %s", event.Entry.Text)
		}
	}))
	call(p, network.Enable, network.EnableParams{})
	call(p, log.Enable, cdp.Empty{})
	p.do(chromedp.EmulateViewport(s.width, s.height))
	p.do(chromedp.Navigate(url))
	p.ready()
	return p
}

// adviser answers from the run behind the page part.
func adviser(t *testing.T) *answer.Adviser {
	t.Helper()
	r, err := some()
	if err != nil {
		t.Fatal(err)
	}
	return answer.Of(r, catalog.All()).Adviser()
}

// ready waits until the script has set up the page.
func (p *tab) ready() {
	p.Helper()
	p.do(chromedp.WaitVisible(chromedp.CSS("main.ready")))
}

func (p *tab) check(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p *tab) do(actions ...action) {
	p.Helper()
	p.check(chromedp.Do(p.ctx, actions...))
}

// get runs an action that has a result.
func get[T any](p *tab, a chromedp.Action[T]) T {
	p.Helper()
	out, err := chromedp.Run(p.ctx, a)
	p.check(err)
	return out
}

func call[P, R any](p *tab, command cdp.Command[P, R], params P) {
	p.Helper()
	_, err := chromedp.Call(p.ctx, command, params)
	p.check(err)
}

// eval runs a script and returns its result.
func eval[T any](p *tab, script string, args ...any) T {
	p.Helper()
	for i, a := range args {
		text, err := json.Marshal(a)
		if err != nil {
			p.Fatal(err)
		}
		args[i] = text
	}
	if len(args) > 0 {
		script = fmt.Sprintf(script, args...)
	}
	out, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](script))
	if err != nil && !errors.Is(err, chromedp.ErrJSUndefined) {
		p.Fatalf("%s: %v", script, err)
	}
	return out
}

// settle waits until all changes are on the screen and their events are handled.
func (p *tab) settle() {
	p.Helper()
	get(p, chromedp.Evaluate[bool](`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, chromedp.EvalAwaitPromise))
}

// texts returns the texts of all matching elements.
func (p *tab) texts(selector string) []string {
	p.Helper()
	return eval[[]string](p, `[...document.querySelectorAll(%s)].map(e => e.textContent.trim())`, selector)
}

// picture keeps a screenshot among the artifacts of the test.
func (p *tab) picture(name string) {
	p.Helper()
	p.keep(name+".png", get(p, chromedp.CaptureScreenshot()))
}

func (p *tab) keep(name string, data []byte) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.ArtifactDir(), name), data, 0o644); err != nil {
		p.Fatal(err)
	}
}

// with sets a media feature, such as dark colors.
func (p *tab) with(feature, value string) {
	p.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: feature, Value: value}}})
}

// The page gives the answers of timerbench recommend: its named structure, its lines and its rows.
func TestEachControlChangesTheAnswerAsTheDataSay(t *testing.T) {
	p, form := open(t, part, desk), adviser(t).Form()
	type asked struct{ Lines, Rows []string }
	const each = 31 // coprime to the numbers of choices, so that each choice is combined with many others
	got := eval[[]asked](p, `(() => {
		const controls = ["timers", "mix", "delays", "by", "fires"].map(n => document.querySelector("#ask select[name=" + n + "]"));
		const out = [];
		for (let n = 0; n < controls.reduce((all, c) => all * c.length, 1); n += %s) {
			controls.reduceRight((at, c) => { c.selectedIndex = at %% c.length; return Math.floor(at / c.length); }, n);
			controls[0].dispatchEvent(new Event("change", { bubbles: true }));
			out.push({ lines: [...document.querySelectorAll("#lines p")].map(e => e.textContent), rows: [...document.querySelectorAll("#ranking tbody tr")].map(r => r.cells[0].textContent) });
		}
		return out;
	})()`, each)
	if want := (len(form.Answers) + each - 1) / each; len(got) != want {
		t.Fatalf("%d questions were asked, want %d", len(got), want)
	}
	named := make(map[string]bool)
	for i, x := range got {
		want := form.Answers[i*each]
		named[want.Named] = true
		lines := want.Lines
		if want.Named == "" {
			lines = []string{"These results cannot answer this."}
		}
		if !slices.Equal(x.Lines, lines) || len(x.Rows) != len(want.Rows) {
			t.Errorf("%s: the page says %+v, want %q and %d rows", want.Question.Words(), x, lines, len(want.Rows))
			continue
		}
		for j, row := range want.Rows {
			if !strings.HasPrefix(x.Rows[j], row.Structure) || strings.Contains(x.Rows[j], "take it") != (row.Structure == want.Named) {
				t.Errorf("%s: row %d is %q, want %s; take %s", want.Question.Words(), j, x.Rows[j], row.Structure, want.Named)
			}
		}
	}
	if len(named) < 3 {
		t.Errorf("all questions have the answers %v", named)
	}
}
