package scenario_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/bench/workload/scenario"
	"github.com/timerbench/timerbench/internal/fail"
)

// Every built-in workload can be printed, and is the same when it is read again.
func TestBuiltInsArePrintedAndReadBack(t *testing.T) {
	for _, w := range workload.All() {
		if w.Category == "" || (w.Category == workload.Grid) != (w.Grid != nil) {
			t.Errorf("%s: category %q, place in the grid %v", w.Name, w.Category, w.Grid)
		}
		text, err := scenario.Print(w)
		if err != nil {
			t.Errorf("%s: %v", w.Name, err)
			continue
		}
		got, err := scenario.Parse(w.Name, text)
		if err != nil {
			t.Errorf("%v in\n%s", err, text)
			continue
		}
		w.Scenario, w.Extra, w.Sizes, w.LongWarmUp, w.Definition = string(text), false, nil, 0, 0 // these are not in the file
		if !reflect.DeepEqual(got, w) {
			t.Errorf("%s: read back as\n%+v\nwant\n%+v\nfrom\n%s", w.Name, got, w, text)
		}
	}
}

const sound = `name = "mine"
tick = "1ms"
model = "flow"

[[parameters.class]]
rate = 100
delay = { kind = "constant", mean = "5s" }
`

func TestWhatIsLeftOutFollows(t *testing.T) {
	w, err := scenario.Parse("x", []byte(sound))
	fail.If(t, err)
	if w.Resident != 500 || w.Scenario != sound {
		t.Errorf("%d resident, want 100 a second for 5 s; text %q", w.Resident, w.Scenario)
	}
	for _, population := range []string{"451", "549"} { // rounded
		w, err := scenario.Parse("x", []byte(strings.Replace(sound, "tick", "population = "+population+"\ntick", 1)))
		if err != nil || fmt.Sprint(w.Resident) != population {
			t.Errorf("a population of %s is read as %d, %v", population, w.Resident, err)
		}
	}
	w, err = scenario.Parse("x", []byte("name = 'x'\ntick = '1ms'\nmodel = 'churn'\nparameters.delay = {kind = 'uniform', high = '3s'}\n"))
	if err != nil || w.Resident != 0 || w.Model.(*workload.Churn).Burst != 32 {
		t.Errorf("%+v, %v: want any number of timers, and bursts of 32", w.Model, err)
	}
}

func TestErrorsNameLineOrKeyValueAndWhatWasExpected(t *testing.T) {
	for _, c := range []struct {
		old, new string // edits of the sound file
		want     string
	}{
		{"", "", ""},
		{`"1ms"`, `"1ms`, `x.toml:2: tick = "1ms: basic strings cannot have new lines`},
		{`tick = "1ms"`, "tick = \"1ms\"\ntick = \"2ms\"", `x.toml:3: tick = "2ms": key tick is already defined`},
		{`rate = 100`, `raet = 100`, `x.toml:6: parameters.class.raet: there is no such key`},
		{`mean =`, `maen =`, `x.toml:7: parameters.class.maen: there is no such key`},
		{`"flow"`, `"flow"` + "\n\"\" = 1", `x.toml:4: : there is no such key`},
		{`delay = {`, "delay = [[1], [2]]\ncompletion = {", `x.toml:7: delay = [[1], [2]]: cannot decode`},
		{`"5s"`, `3.5`, `x.toml: "3.5": want a duration such as "100ms"`},
		{`"5s"`, `"5 s"`, `x.toml:7: delay = { kind = "constant", mean = "5 s" }: "5 s": want a duration such as "100ms"`},
		{`[[parameters.class]]`, `[[parametres.class]]`, `x.toml:5: parametres.class: there is no such key`},
		{`"mine"`, `5`, `x.toml:1: name = 5: cannot decode`},
		{`"flow"`, `["flow"]`, `x.toml:3: model = ["flow"]: cannot decode`},
		{`rate = 100`, `rate = "100"`, `x.toml:6: rate = "100": cannot decode`},
		{`tick =`, "population = 1.5\ntick =", `x.toml:2: population = 1.5: cannot decode`},
		{`name = "mine"`, ``, `x.toml: name = "": want lower-case letters`},
		{`"mine"`, `"My own"`, `x.toml: name = "My own": want lower-case`},
		{`tick = "1ms"`, ``, `x.toml: tick = 0s: want a duration of at least 1µs`},
		{`"1ms"`, `1`, `x.toml: tick = 1ns: want a duration of at least 1µs`},
		{`"1ms"`, `"-1ms"`, `x.toml: tick = -1ms: want a duration of at least 1µs`},
		{`"1ms"`, `"20s"`, `x.toml: parameters.class[0].delay.mean = 5s: want at least half a tick: timers count ticks of 20s`},
		{`"flow"`, `"flaw"`, `x.toml: model = "flaw": want one of hold, start-stop, churn`},
		{`model = "flow"`, ``, `x.toml: model = "": want one of hold`},
		{`rate = 100`, `rate = -5`, `x.toml: parameters.class[0].rate = -5: want a number a second above 0`},
		{`rate = 100`, `rate = inf`, `x.toml: parameters.class[0].rate = +Inf: want a number a second above 0`},
		{`rate = 100`, `rate = nan`, `x.toml: parameters.class[0].rate = NaN: want a number a second above 0`},
		{`rate = 100`, `rate = 1e9`, `x.toml: parameters = rates that lead to 5e+09 pending timers: want at most 100000000`},
		{`rate = 100`, `shares = { cancel = 1.5, reschedule = 0, periodic = 0 }`, `x.toml: parameters.class[0].shares.cancel = 1.5: want a share, from 0 to 1`},
		{`rate = 100`, `shares = { cancel = 0.75, reschedule = 0.75 }`, `x.toml: parameters.class[0].shares = cancel and reschedule of 1.5 together: want at most 1`},
		{`rate = 100`, "rate = 100\ndelay = { kind = 'constant', mean = '1s' }\n[[parameters.class]]", `x.toml: parameters.class[1].rate: want a rate`},
		{`"5s"`, `"-5s"`, `x.toml: parameters.class[0].delay.mean = -5s: want a positive duration`},
		{`"5s"`, `"0s"`, `x.toml: parameters.class[0].delay = no parameter: want for a delay of kind constant mean`},
		{`kind = "constant", `, ``, `x.toml: parameters.class[0].delay.kind: want one of constant, uniform`},
		{`"constant"`, `"gauss"`, `x.toml: parameters.class[0].delay.kind = "gauss": want one of constant, uniform`},
		{sound[strings.Index(sound, "[["):], ``, `x.toml: parameters.class: want at least one class`},
		{`tick =`, "population = 600\ntick =", `x.toml: population = 600: want about 500, to which the rates lead: leave it out`},
		{`tick =`, "population = 449\ntick =", `x.toml: population = 449: want about 500`},
		{`tick =`, "population = 551\ntick =", `x.toml: population = 551: want about 500`},
		{`tick =`, "population = -1\ntick =", `x.toml: population = -1: want a whole number from 1`},
		{`tick =`, "unit = \"hour\"\ntick =", `x.toml: unit = "hour": want one of lifecycle, reschedule, tick`},
		{sound, strings.NewReplacer("mine", "My own", "100", "-5", "5s", "-5s").Replace(sound), // all of them
			"x.toml: name = \"My own\": want lower-case letters, digits, dashes, dots and underscores, such as \"api-gateway\"\n" +
				"x.toml: parameters.class[0].rate = -5: want a number a second above 0\nx.toml: parameters.class[0].delay.mean = -5s: "},
	} {
		text := strings.Replace(sound, c.old, c.new, 1)
		_, err := scenario.Parse("x.toml", []byte(text))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("the sound file: %v", err)
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
			t.Errorf("with %q:\ngot  %v\nwant %s", c.new, err, c.want)
		}
	}
}

func TestLoadRefusesNamesThatAreTaken(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		fail.If(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	a, b := write("a.toml", "\xef\xbb\xbf"+sound), write("b.toml", sound)
	c := write("c.toml", strings.Replace(sound, "mine", "hold", 1))
	hold, _ := workload.Find("hold")
	printed, _ := scenario.Print(hold)
	d := write("d.toml", string(printed))
	if list, err := scenario.Load(d); err != nil || len(list) != 1 || list[0].Name != "hold" {
		t.Errorf("a built-in workload as it is printed: %v, %v", list, err)
	}
	if _, err := scenario.Load(d, d); err == nil {
		t.Error("the same file twice is two workloads of one name")
	}
	if list, err := scenario.Load(a); err != nil || len(list) != 1 || list[0].Name != "mine" {
		t.Errorf("one sound file: %v, %v", list, err)
	}
	missing := filepath.Join(dir, "missing.toml")
	list, err := scenario.Load(a, b, c, missing)
	if list != nil || err == nil {
		t.Fatalf("%d workloads, error %v", len(list), err)
	}
	for _, want := range []string{
		b + `: name = "mine": want a name of its own, as this is that of ` + a,
		c + `: name = "hold": want a name of its own, as this is that of a built-in workload, which is another one`,
		missing,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %s", err, want)
		}
	}
}

// The format's description names whatever a file may hold, and its examples are sound.
func TestTheDescriptionIsCompleteAndItsExamplesAreSound(t *testing.T) {
	data, err := os.ReadFile("../../../docs/scenarios.md")
	fail.If(t, err)
	text := string(data)
	names := workload.DelayKinds()
	for _, of := range []any{workload.Flow{}, workload.Class{}, workload.Shares{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(of)) {
			name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
			names = append(names, name)
		}
	}
	names = append(names, "name", "summary", "source", "tick", "population", "unit", "model", "parameters")
	for _, name := range names {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("docs/scenarios.md does not explain `%s`", name)
		}
	}
	examples := strings.Split(text, "```toml\n")[1:]
	if len(examples) == 0 {
		t.Error("docs/scenarios.md has no example")
	}
	for _, example := range examples {
		example, _, _ = strings.Cut(example, "```")
		if _, err := scenario.Parse("example", []byte(example)); err != nil {
			t.Errorf("%v\n%s", err, example)
		}
	}
}

// Whatever is in a file, it is a workload that can be run and printed, or an error that names the file.
func FuzzParse(f *testing.F) {
	f.Add(sound)
	for _, w := range workload.All() {
		text, err := scenario.Print(w)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, err := scenario.Parse("x", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x:") {
				t.Errorf("no file: %v", err)
			}
			return
		}
		printed, err := scenario.Print(w)
		fail.If(t, err)
		again, err := scenario.Parse("y", printed)
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		again.Scenario = w.Scenario
		fail.UnlessSame(t, "read back", again, w)
	})
}

// Errors repeat what a file says, and no control character of it.
func TestErrorsHaveNoControlCharacters(t *testing.T) {
	const esc = `\u001b[2J\u202e`
	for _, text := range []string{
		sound + `"x` + esc + `" = 1`, strings.Replace(sound, `"mine"`, `"mine`+esc+`"`, 1), strings.Replace(sound, `"flow"`, `"flow`+esc+`"`, 1),
		strings.Replace(sound, `"1ms"`, `"1ms`+esc+`"`, 1), "\x1b[2J = 1", sound + "delay = '''\n\x1b'''",
	} {
		_, err := scenario.Parse("a\x1b.toml", []byte(text))
		if err == nil || strings.ContainsFunc(strings.ReplaceAll(err.Error(), "\n", ""), func(r rune) bool { return r < ' ' || r == '\u202e' }) {
			t.Errorf("%q: %q", text, err)
		}
	}
}
