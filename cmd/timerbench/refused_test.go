package main

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/tracetest"
	"github.com/timerbench/timerbench/trace"
)

// Each command line fails with an error that contains the parts. It prints nothing and leaves no files.
var bad = map[string][]string{
	"rnu":                      {`"rnu"`, "run"},
	"run hold":                 {"run: 1 argument, want none"},
	"completion nope":          {`no command of completion matches "nope"; there are: bash, fish, `},
	"completion bash x":        {`unknown command "x" for "timerbench completion bash"`},
	"run --trails 3":           {"--trails"},
	"run -s hweel":             {`no structure matches "hweel"`, `did you mean "hwheel"?`, "there are: list, "},
	"run -s (wheel":            {"--structure", "(wheel", "regular expression"},
	"run -w kafka-purgatry":    {`did you mean "kafka-purgatory"?`, "fill-drain"},
	"run -p norml":             {`no profile matches "norml"`, `did you mean "normal"?`},
	"run --n 0":                {"--n", `"0"`, "from 1"},
	"run --n 100,many":         {`"many"`},
	"run --trials 0 -o new":    {"--trials 0: want a number from 1 to 10000"},
	"run --csv --dry-run":      {"if any flags in the group [csv dry-run] are set none of"},
	"run --resume":             {"want the folder of the interrupted run in --out"},
	"run --external nothing":   {"--external nothing: no such file or directory, want a program, name=command or a TOML file"},
	"run --external a=./nope":  {`--external "a=./nope": `, "no such file"}, // before it measures
	"run --external auto=x":    {`--external "auto=x": the name auto is taken`},
	"run --external a=":        {`--external "a=": a has no command`},
	"run --scenario none.toml": {"none.toml", "no such file"},
	"run --scenario bad.toml -p smoke -w hold -o new": {"parameters.class[0].rate = -4000: want a number a second above 0"},

	"run --trials 99999999999 --dry-run":         {"--trials 99999999999: want"},
	"run --trials 1e3":                           {`--trials: "1e3": want a whole number`},
	"run --budget 5":                             {`--budget: "5": want a time such as 90s`},
	"run --budget 1ns -o new -p smoke -w ^hold$": {"--budget 1ns: too short for any cell, want at least about "},
	"run -p smoke --out foreign":                 {"--out foreign: it is a file, want a folder"},
	"run --scenario empty":                       {"empty: it is a folder, want a scenario"},
	"run --traces none":                          {"--traces: none: want a folder with files *.trace"},
	"run --traces empty":                         {"--traces: empty: want a folder"},
	"run --traces . -w trace-x":                  {`no workload matches "trace-x"`},
	"run --out=":                                 {"--out: its value is empty"},
	"report my.trace":                            {"my.trace: line 1 is not JSON, want results"},
	"report array":                               {"array: line 1: the content is a JSON array, which does not fit"},
	"help nosuch":                                {`unknown command "nosuch"`},
	"help trace reply":                           {`no command of trace matches "reply" (did you mean "replay"?)`},
	"recommend --n 10 --force":                   {"--force: needs --trace"},

	"list wrokloads":                       {`no list matches "wrokloads" (did you mean "workloads"?)`},
	"scenario print":                       {"the name of a workload"},
	"scenario check":                       {"scenario check: 0 arguments, want scenario files"},
	"report foreign --out empty":           {"foreign", "not JSON"},
	"report old --out foreign/x":           {"--out foreign/x: foreign is a file, want a folder"}, // before it draws
	"report old --out /proc/self":          {"--out /proc/self: "},                                // where not even root can create a file
	"report old old --out empty":           {"--out: several results have no page"},
	"report wide":                          {"wide: it is in UTF-16, want UTF-8"},
	"run --scenario wide":                  {"wide: it is in UTF-16, want UTF-8"},
	"run --scenario large":                 {"large: it has more than 1 MB"},
	"verify --seeds 0":                     {"--seeds 0: want at least 1"},
	"verify none":                          {"none: no such file or directory, want results"},
	"scenario check none":                  {"none: no such file or directory"},
	"submit none --out empty":              {"none: no such file or directory, want results"},
	"verify -s ^list$ -w ^hold$ -n 1e6":    {"nothing to run: no chosen structure accepts"},
	"verify old --seed 2":                  {"--seed: cannot be used with old, which has its own"},
	"verify --external nothing":            {"--external nothing: no such file or directory, want a program"},
	"verify --external a=x --seeds 2":      {"if any flags in the group [external seeds] are set none of"},
	"verify --external a=x old":            {"--external: cannot be used with old"},
	"verify --external a=sh --traces none": {"--traces none: want a folder"},
	"verify --json":                        {"--json, --traces: need --external"},
	"external init cobol":                  {`"cobol": want one of c, python, rust, timerbench.h`},

	"explain":                   {"explain: 0 arguments, want the name of a structure"},
	"explain hweel":             {`did you mean "hwheel"?`},
	"explain hwheel -r none":    {"--results: none: no such file or directory, want results"},
	"explain hwheel -r foreign": {"--results: foreign", "not JSON"},

	"recommend --n 10 --cancel 90":  {"--cancel", `"90": want a share`},
	"recommend --n 10 --dist odd":   {`shape of delays "odd": want one of constant`},
	"recommend --n 10 --by speed":   {"--by", `"speed": want one of time, tail`},
	"recommend --n 10 --order lifo": {`order "lifo": want fifo`},
	"recommend --trace nowhere":     {"--trace: nowhere: no such file or directory, want a trace"},
	"recommend --n 10 --external":   {"--external: the run that is part of this program (docs/results) has no external programs"},
	"recommend --n 10 bare":         {"bare", "no costs of structures"},

	"live --goroutines 0 -o new":      {"--goroutines [0]: want numbers from 1 to 1024"},
	"live --n 2 -o new":               {"--n 2: want at least one timer for each of 8 goroutines"},
	"live --tick 10ns -o new":         {"--tick [10ns]: want lengths from 1µs to 1s"},
	"live --for 1s -o new":            {"1s is too short for 3 contenders"},
	"live -s ^list$ --for 1ms -o new": {"list tickless takes at most 10000 timers"},
	"live --for -1s -o new":           {"--for -1s: want a time above 0"},
	"live --out old":                  {"--out old: old/results.json is a complete run of "},
	"live --into empty":               {"--into empty/results.json: no such file or directory, want results"},
	"live --into old --out new":       {"if any flags in the group [out into] are set none of"},

	"trace replay":                            {"want traces"},
	"trace replay none":                       {"none", "no such file"},
	"trace info foreign":                      {"foreign: this is no trace of timerbench"},
	"trace replay my.trace --trials 1000":     {"my.trace: 10000 operations are too few for 1000 trials"},
	"trace replay my.trace my.trace":          {`both traces named "churn"`},
	"trace build -o new -overlay x .":         {"-overlay: trace build needs -overlay itself"},
	"trace record -o new":                     {"want the command to record"},
	"trace record -- true":                    {`"out"`},
	"trace record -o empty -- true":           {"--out empty", "is a folder"},
	"trace record -o new -- ./none":           {"./none", "no such file or directory: want a command to record"},
	"trace build -o new ./none":               {"go list: exit status 1"},
	"trace record -o /proc/self/x -- true":    {"--out /proc/self/x: "},
	"ab --old HEAD --pairs 6 -o /proc/self/x": {"--out /proc/self/x: "},

	// Everything but a regression ends with code 2, so that a script can tell them apart.
	"compare old":                            {"compare: 1 argument, want two"},
	"compare old slower --min-effect some":   {"--min-effect", `"some"`, "100%"},
	"compare old slower --min-effect=-5%":    {"--min-effect", `"-5%"`},
	"compare old none":                       {"NEW: none: no such file or directory, want results"},
	"compare empty slower":                   {"OLD: ", "no results.json in it"},
	"compare damaged slower":                 {"OLD: ", "damaged", "cut short"},
	"compare old other --fail-on-regression": {"old and other: nothing in common"},
	"ab":                                     {"--old is missing"},
	"ab --old HEAD --rounds 0":               {"--rounds 0"},
	"ab --old HEAD --pairs 1":                {"--pairs 1", "no interval"},
	"ab --old= --new=":                       {": its value is empty"},
	"ab --old mute --new mute --pairs 6 -o new -s ^list$ -w ^hold$ -n 10": {"it ended without results: want a program of timerbench"},
	"count --against nothing":               {"--against nothing: it is no program, and for a revision the current folder must be in a git repository"},
	"count --against damaged":               {"--against damaged: want a program or a git revision: permission denied"},
	"count -s hweel":                        {`did you mean "hwheel"?`},
	"count -w hlod --against old":           {`did you mean "hold"?`},
	"ab --old nothing --pairs 6":            {"--old nothing: it is no program, and for a revision the current folder must be in a git repository"},
	"ab --old damaged --new damaged -o new": {"--old damaged: want a program or a git revision"},
	"ab --old damaged --new damaged -o old": {"--out old", "not replaced"},
}

func TestBadInputIsRefusedWithAReason(t *testing.T) {
	scenario := strings.Replace(fail.Read(t, "../../scenarios/api-gateway.toml"), "4_000", "-4_000", 1)
	t.Chdir(t.TempDir())
	fail.Write(t, "foreign", "not results")
	fail.Write(t, "bad.toml", scenario)
	fail.Write(t, "array", "[]")
	fail.Write(t, "wide", "\xff\xfe{\x00}\x00")
	fail.Write(t, "large", strings.Repeat("#", 1<<20+1))
	fail.Write(t, "mute", "#!/bin/sh\n")
	fail.If(t, errors.Join(os.Mkdir("empty", 0o755), os.Chmod("mute", 0o755)))
	put(t, "bare", &results.Run{Complete: true})
	put(t, "old", eightRounds("churn", 1))
	put(t, "slower", eightRounds("churn", 1.3))
	put(t, "other", eightRounds("hold", 1))
	whole := fail.Read(t, "old/"+store.FileName)
	fail.Write(t, "damaged", whole[:len(whole)/2])
	tracetest.File(t, "my.trace", "churn", 10, 1e4)
	fail.Write(t, "none.trc", "")
	fail.Write(t, "cut.trc", fail.Read(t, "my.trace")[:20])
	before := contents(t, ".")
	for _, command := range []string{"trace info ", "trace replay ", "advise ", "recommend --trace "} {
		refused(t, strings.Fields(command+"empty"), "empty: it is a folder, want a trace")
		refused(t, strings.Fields(command+"none.trc"), "none.trc: the trace is cut short: the file is empty, want a trace")
		refused(t, strings.Fields(command+"cut.trc"), "cut.trc: byte 9: the trace is cut short after 0 operations: 11 of the next ")
	}
	for line, parts := range bad {
		refused(t, strings.Fields(line), parts...)
	}
	if after := contents(t, "."); !maps.Equal(after, before) || fail.Files(t, "empty") != "" {
		t.Errorf("the refused calls left %s", fail.Files(t, "."))
	}
	refused(t, []string{"report", ""}, "report: an argument is empty")
	refused(t, []string{"trace", "record", "-o", "new", "--", "no-such-program"}, "no-such-program")
	endsWith(t, exitError, []string{"scenario", "check", "bad.toml"}, "want a number a second above 0")
	for _, folder := range []string{"new", store.Parent} {
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("a refused call left the folder %s", folder)
		}
	}
	_, _, stderr := run("ab", "--old", "nothing")
	fail.UnlessLacks(t, stderr, "about") // no estimate of what it refuses
}

func TestNumbersOfTimers(t *testing.T) {
	for text, want := range map[string][]int{
		"200000": {200_000}, "200k": {200_000}, "200K": {200_000}, "0.2M": {200_000}, "2e5": {200_000}, "200,000": {200_000},
		"1m": {1_000_000}, "1M": {1_000_000}, "1,000,000": {1_000_000}, "12,345,000": {12_345_000}, "1e8": {100_000_000},
		"50,200": {50, 200}, "1000,1e6": {1000, 1_000_000}, "10,100,1000": {10, 100, 1000}, "1k,1M": {1000, 1_000_000}, " 7 , 8 ": {7, 8},
	} {
		var got sizes
		if err := got.Set(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.5", "1e30", "1.1e8", "k", "200 k m", "1e3,", "NaN", "Inf", "1000,000", "1G"} {
		var got sizes
		fail.UnlessError(t, got.Set(text), "want a whole number from 1 to 1e8")
	}
}

func TestRates(t *testing.T) {
	for text, want := range map[string]float64{"50000/s": 50_000, "50k/s": 50_000, " 5e4 /s ": 50_000, "50,000": 50_000, "3m/m": 50_000, "36/h": 0.01} {
		if got, err := readRate(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "/s", "0/s", "5/min", "5/", "5/s/s", "-1/s", "1e13/s"} {
		if _, err := readRate(text); err == nil {
			t.Errorf("%q is read as a rate", text)
		}
	}
}

// A file or a program of somebody else may hold commands for the terminal, and line breaks that forge a line of ours.
func TestNothingForeignIsACommandForTheTerminal(t *testing.T) {
	const hostile = "\x1b]0;title\x07\x1b[2Jx\u009b31m\u202eevil\r\ntimerbench: all is well\x7f"
	t.Chdir(t.TempDir())
	tracetest.Write(t, "my.trace", trace.Header{Name: "hostile", Tick: time.Millisecond}, func(w *trace.Writer) {
		w.From(trace.Site{Place: hostile})
		w.Schedule(5000)
	})
	workload, structure, role := eightRounds("churn"+hostile, 1), eightRounds("churn", 1), eightRounds("churn", 1)
	structure.Cells[0].Rows[1].Structure += hostile
	role.Cells[0].Rows[1].Role = hostile
	put(t, "workload", workload)
	put(t, "structure", structure)
	put(t, "role", role)
	fail.Write(t, "hostile.toml", "name = '"+strings.ReplaceAll(hostile, "\n", "")+"'\n")
	fail.Write(t, "says.sh", "printf '\\033[2Jtimerbench' >&2; exit 1\n")
	for _, line := range []string{
		"trace info my.trace", "compare workload structure", "report structure",
		"verify role", "run --scenario hostile.toml", "verify --external a=sh,says.sh",
	} {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], ",", " ")
		}
		_, stdout, stderr := run(args...)
		text := stdout + stderr
		foreign := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }
		if at := strings.IndexFunc(text, foreign); at >= 0 || strings.Contains(text, "\ntimerbench: all is well") {
			t.Errorf("%s: a command for the terminal at %d of %q", line, at, text)
		} else if !strings.Contains(text, `\u001b`) && !strings.Contains(text, `\x1b`) {
			t.Errorf("%s: shows nothing foreign: %s", line, text)
		}
	}
}
