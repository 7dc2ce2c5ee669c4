package show

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/internal/fail"
)

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		Figure(0): "0", Figure(0.012345): "0.0123", Figure(4.5): "4.5", Figure(99.96): "100", Figure(123.4): "123",
		Figure(12_345): "12,300", Figure(-1234): "-1,230", Figure(999.9): "1,000", Figure(math.Inf(1)): Unknown,
		Grouped(999): "999", Grouped(1000): "1,000", Grouped(-1234567): "-1,234,567",
		Short(950): "950", Short(999.9): "1k", Short(12_345): "12.3k", Short(4e6): "4M",
		Duration(12.34): "12.3 ns", Duration(12_340): "12.3 µs", Duration(999_900): "1 ms", Duration(7.2e12): "7,200 s",
		Times(0.05): "0.050", Times(1.04): "1.04", Times(2.345): "2.3", Times(17.4): "17", Times(1234): "1.23k", Times(math.NaN()): Unknown,
		Bytes(950): "950 bytes", Bytes(12_345): "12.3 kB", Bytes(8e9): "8 GB",
		Percent(0.1234): "12.3 %", Percent(1): "100 %", Percent(math.NaN()): Unknown,
		Count(1, "tick"): "1 tick", Count(2000, "tick"): "2,000 ticks",
		And(nil): "", And([]string{"a"}): "a", And([]string{"a", "b", "c"}): "a, b and c",
	} {
		fail.UnlessSame(t, "a number", got, want)
	}
}

// A table that is too wide gets narrower in its widest column, and no line ends with a space.
func TestATableFitsTheTerminal(t *testing.T) {
	t.Setenv("COLUMNS", "60")
	table := Table{Align: "l", Header: []string{"name", "what it is", ""}}
	table.Add("one", strings.Repeat("word ", 30)+"unbreakable", "")
	for _, line := range strings.Split(table.Terminal(), "\n") {
		if n := len([]rune(line)); n > 60 || strings.HasSuffix(line, " ") || strings.HasPrefix(line, " one ") && n < 50 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	if got := table.Wide(); strings.Count(got, "\n") != 1 {
		t.Errorf("the wide table is broken:\n%s", got)
	}
	table = Table{}
	table.Add(strings.Repeat("x", 70), "y")
	fail.Unless(t, table.Terminal(), strings.Repeat("x", 70)) // no word is broken
}

// The three renderers write the same cells: the value only for sorting, names and notes as they are. The first column is on the left,
// unless the table says otherwise.
func TestOneTableHasThreeForms(t *testing.T) {
	table := Table{Header: []string{"Structure", "ns"}}
	if table.Markdown() != "" || table.HTML() != "" {
		t.Error("a table without rows is written")
	}
	row := table.Add(Name("a_b").In(Bold), Number(12_345.6, "12.3k").With("11 to <14"))
	row.Structure, row.Cell = "a_b", "hold 1k"
	table.Add("none", nil)
	fail.UnlessSame(t, "in the terminal", table.Terminal(), " STRUCTURE                 NS\n a_b        12.3k (11 to <14)\n none                       –")
	fail.UnlessSame(t, "in Markdown", table.Markdown(), "| Structure | ns |\n|:--- | ---:|\n| **a\\_b** | 12.3k (11 to \\<14) |\n| none | – |\n")
	want := `<table><thead><tr><th class="l">Structure</th><th>ns</th></tr></thead>
<tbody>
<tr data-structure="a_b" data-cell="hold 1k"><td class="l" data-structure="a_b"><strong>a_b</strong></td><td data-value="12345.6">12.3k (11 to &lt;14)</td></tr>
<tr><td class="l">none</td><td>–</td></tr>
</tbody></table>
`
	fail.UnlessSame(t, "in HTML", table.HTML(), want)
}

// Texts are written as they are in each form.
func TestATextHasThreeForms(t *testing.T) {
	text := append(Para("take ", Strong("a*b"), ", not ", Mono("x<y"), "."), append(Bullets(Line("one"), Line(Span{"two", Italic})), Program("sh", "a && b\n")...)...)
	fail.UnlessSame(t, "as text", text.String(), "take a*b, not x<y.\n\n- one\n- two\n\na && b")
	fail.UnlessSame(t, "in Markdown", text.Markdown(), "take **a\\*b**, not `x<y`.\n\n- one\n- _two_\n\n```sh\na && b\n```\n")
	fail.UnlessSame(t, "in HTML", text.HTML(), "<p>take <strong>a*b</strong>, not <code>x&lt;y</code>.</p>\n<ul>\n<li>one</li>\n<li><em>two</em></li>\n</ul>\n<pre><code>a &amp;&amp; b\n</code></pre>\n")
	table := &Table{Title: "two"}
	table.Add("a", 2)
	text = append(Warning("stop"), Tables(table)...)
	fail.UnlessSame(t, "a warning and a table", text.Markdown()+text.HTML()+table.Text(true), "> stop\n\n"+table.Markdown()+"<blockquote><p>stop</p></blockquote>\n"+table.HTML()+"**two**\n\n"+table.Markdown())
	fail.UnlessSame(t, "a table with its title", table.Text(false), "two\n"+table.Terminal())
	if Para("") != nil || len(Tables(&Table{Header: []string{"a"}})) != 0 {
		t.Error("an empty paragraph or table is a text")
	}
}

// A number and its unit stand on one line.
func TestUnitsStayWithTheirNumbers(t *testing.T) {
	for columns := 24; columns < 40; columns++ {
		t.Setenv("COLUMNS", fmt.Sprint(columns))
		table := Table{Align: "l", Header: []string{"name", "what it is"}}
		table.Add("ten", "it takes 10 % of 12.5 ms and 3 kB, which is 1.5 s or 8 bytes")
		for _, got := range []string{table.Terminal(), Wrapped(table.Rows[0].Cells[1].Text)} {
			fail.Unless(t, got, "10 %", "12.5 ms", "3 kB", "1.5 s", "8 bytes")
		}
	}
}

// What a terminal may take for a command is written as an escape, also if a character comes in two parts.
func TestNoTextIsACommandForATerminal(t *testing.T) {
	for s, want := range map[string]string{
		"plain µ – 日本 😀": "plain µ – 日本 😀", "\x1b[31m\a\x7f": `\u001b[31m\u0007\u007f`, "a\nb\tc\r": `a\u000ab\u0009c\u000d`, "\u009b2J\u202e": `\u009b2J\u202e`,
		"\U000e0001": `\udb40\udc01`, "\xff\xe2\x82": `\xff\xe2\x82`,
	} {
		fail.UnlessSame(t, s, Safe(s), want)
	}
	var out strings.Builder
	w := SafeWriter{W: &out}
	for _, b := range []byte("é\x1b日\n\t\xff😀.") {
		if n, err := w.Write([]byte{b}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	fail.UnlessSame(t, "what is written", out.String(), "é\\u001b日\n\t\\xff😀.")
	table := Table{Header: []string{"a\x1b"}}
	table.Add("b\x1b", "c\nd")
	if got := table.Terminal() + (Text{{Spans: Line("e\x1b\nf"), Items: [][]Span{Line("g\x1b")}}}).String(); strings.Contains(got, "\x1b") || strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
}

// An interval that spans more than a factor of 10 is not shown, and neither is one that is not known.
func TestOnlyANarrowIntervalIsShown(t *testing.T) {
	for _, c := range []struct {
		center, lo, hi float64
		interval, half string
	}{
		{2, 1.5, 3, "1.50 to 3.0", "50 %"}, {1, 0.5, 1.2, "0.50 to 1.20", "50 %"}, {3, 1, 10, "1.00 to 10", "233 %"},
		{3, 1, 10.01, Unknown, Unknown}, {2.9, 0.007, 1207, Unknown, Unknown}, {2, 0, math.Inf(1), Unknown, Unknown},
		{2, math.Inf(-1), math.Inf(1), Unknown, Unknown}, {math.NaN(), math.NaN(), math.NaN(), Unknown, Unknown}, {0, -1, 1, Unknown, Unknown},
	} {
		if got, half := Interval(c.lo, c.hi, Times, " to "), Spread(c.center, c.lo, c.hi); got != c.interval || half != c.half {
			t.Errorf("%g from %g to %g: %s and ±%s, want %s and ±%s", c.center, c.lo, c.hi, got, half, c.interval, c.half)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"hold", "hold-biased", "kafka-purgatory", "conn-deadline", "conn-deadline-lazy", "mean", "median", "ffsqueue", "run", "wheel", "hwheel"}
	for name, want := range map[string]string{
		"hweel": "hwheel", "hlod": "hold", "hold-based": "hold-biased", "kafka": "kafka-purgatory", "kafak": "kafka-purgatory",
		"conn": "conn-deadline", "conn-deadlin": "conn-deadline", "maen": "mean", "zzz": "", "": "",
		"nosuch": "", "test": "", "rnu": "run", "r": "", "ffsqeueu": "ffsqueue", "medina": "median",
	} {
		if want != "" {
			want = ` (did you mean "` + want + `"?)`
		}
		fail.UnlessSame(t, name, Nearest(name, names), want)
	}
}

// Each character that Markdown takes for more than text is written as text.
func TestMarkdownIsEscaped(t *testing.T) {
	for _, c := range []string{"\\", "`", "*", "_", "[", "]", "<", ">", "~", "&a", "&1", "&#"} {
		fail.UnlessSame(t, c, Para("a"+c+" b").Markdown(), "a\\"+c+" b\n")
	}
	fail.UnlessSame(t, "text alone", Para("a & b, (c) #1 + 2 - 3 | 4 !").Markdown(), "a & b, (c) #1 + 2 - 3 | 4 !\n")
}

func TestCSVHasNumbersInFull(t *testing.T) {
	table := Table{Header: []string{"workload", "n", "ns", "what"}}
	table.Add("hold, mostly", 1_000_000, Number(1234.5678, "1,235"), `a "word"`)
	table.Add("churn", 10, nil, Words("x").With("note"))
	fail.UnlessSame(t, "as CSV", table.CSV(), "workload,n,ns,what\n\"hold, mostly\",1000000,1234.5678,\"a \"\"word\"\"\"\nchurn,10,,x\n")
}
