package browser

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

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
