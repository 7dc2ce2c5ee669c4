package workload

// Scenarios are workloads as TOML files. A file holds
// the fields of a workload.Workload: a name, a tick, a kind of model and its parameters.
//
// docs/scenarios.md describes the format. The whole file is checked before anything runs.
// Each error names the line, the key, the given value and what was expected.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pelletier/go-toml/v2"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/files"
	"github.com/timerbench/timerbench/internal/show"
)

type document struct {
	Name       string      `toml:"name"`
	Summary    string      `toml:"summary,omitempty"`
	Source     string      `toml:"source,omitempty" comment:"where the parameters come from"`
	Tick       Duration    `toml:"tick" comment:"what the clock counts in"`
	Population int         `toml:"population,omitempty" comment:"resident timers"`
	Trial      int         `toml:"trial,omitempty" comment:"operations in a timed trial"`
	Unit       script.Unit `toml:"unit,omitempty" comment:"what a cost is counted per: lifecycle, reschedule or tick"`
	Model      string      `toml:"model" comment:"what the timers do"`
	Parameters Model       `toml:"parameters"`
}

func (d *document) workload(c Category) Workload {
	return Workload{
		Name: d.Name, Category: c, Summary: d.Summary, Source: d.Source, Tick: time.Duration(d.Tick), Model: d.Parameters,
		Resident: d.Population, Trial: d.Trial, Unit: d.Unit,
	}
}

// The limits of a file. The population must fit into memory. A trial must be long enough
// to be timed and short enough to be repeated.
const (
	maxPopulation      = 100_000_000
	minTrial, maxTrial = 1_000, 10_000_000
)

// builtIn is the owner of the names of the built-in workloads, in errors.
const builtIn = "a built-in workload, which is another one"

// Load reads scenario files. The names of their workloads must be unique. A file may use
// the name of a built-in workload only if it describes that workload unchanged. If any
// file has a fault, Load returns no workloads, and the error has a line for each fault.
func Load(paths ...string) ([]Workload, error) {
	var list []Workload
	var errs []error
	taken := make(map[string]string) // owner of each name
	for _, w := range All() {
		taken[w.Name] = builtIn
	}
	for _, path := range paths {
		data, err := files.ReadFile(path, "a scenario", files.MostTOML)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		w, err := parse(path, data, taken)
		errs = append(errs, err)
		list = append(list, w)
		taken[w.Name] = path
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return list, nil
}

// Parse reads the text of a scenario file. Errors name the file as given, but for control characters, which are written as text.
func Parse(file string, data []byte) (Workload, error) { return parse(file, data, nil) }

// FindIn looks among the texts of scenario files, by name, and then among the built-in workloads.
func FindIn(texts map[string]string, name string) (Workload, bool) {
	if text, ok := texts[name]; ok {
		w, err := Parse(name, []byte(text))
		return w, err == nil
	}
	return Find(name)
}

func parse(name string, data []byte, taken map[string]string) (Workload, error) {
	w, faults := read(data, taken)
	slices.SortStableFunc(faults, func(a, b fault) int { return cmp.Compare(a.line, b.line) })
	var errs []error
	for _, f := range faults {
		errs = append(errs, errors.New(show.Safe(fmt.Sprintf("%s:%d: %s", name, f.line, f.text))))
	}
	return w, errors.Join(errs...)
}

// read checks a file in this order: TOML syntax, keys, types and ranges. It returns the
// faults of the first of these checks that fails.
func read(data []byte, taken map[string]string) (w Workload, faults []fault) {
	var values map[string]any
	if err := toml.Unmarshal(data, &values); err != nil {
		return w, []fault{notTOML(data, err)}
	}
	f := newFile(data)
	model := modelOf(values["model"], f)
	if model == nil {
		return w, f.faults
	}
	if text, ok := values["tick"].(string); ok {
		f.tick, _ = time.ParseDuration(text)
	}
	head := document{Parameters: model}
	if f.decodeTable("", values, reflect.ValueOf(&head).Elem()); f.unknown != nil {
		return w, f.unknown
	}
	head.check(f)
	w = head.workload(Custom)
	w.Scenario = string(data)
	if b, ok := builtInLike(w); ok {
		w.Category, w.Grid = b.Category, b.Grid
		if taken[w.Name] == builtIn {
			taken = nil // it may keep its name
		}
	}
	if by, ok := taken[w.Name]; ok {
		f.wrong("name", fmt.Sprintf("%q", w.Name), "a name of its own, as this is that of "+by)
	}
	if f.faults == nil {
		w.Resident = population(f, w)
	}
	return w, f.faults
}

// builtInLike returns the built-in workload with the name of w. ok reports whether w
// writes the same scripts: it was printed and not changed.
func builtInLike(w Workload) (b Workload, ok bool) {
	b, _ = Find(w.Name)
	w.Summary, w.Source, w.Scenario, w.Extra = b.Summary, b.Source, b.Scenario, b.Extra
	w.Definition, w.Sizes, w.LongWarmUp = b.Definition, b.Sizes, b.LongWarmUp
	w.Category, w.Grid = b.Category, b.Grid
	return b, reflect.DeepEqual(w, b)
}

// notTOML returns the syntax error of a file, with the text of its line.
func notTOML(data []byte, err error) fault {
	var wrong *toml.DecodeError
	if !errors.As(err, &wrong) {
		return fault{1, err.Error()}
	}
	line, _ := wrong.Position()
	text := strings.TrimSpace(strings.Split(string(data), "\n")[line-1])
	if most := 100; len(text) > most || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		text = fmt.Sprintf("%q", text[:min(most, len(text))])
	}
	return fault{line, text + ": " + strings.TrimPrefix(wrong.Error(), "toml: ")}
}

// modelOf returns a model of the kind that a file names, which determines the parameters, or nil.
func modelOf(value any, f *file) Model {
	name, _ := value.(string)
	m, names := findModel(name)
	if m == nil {
		f.wrong("model", f.places["model"].text, "one of "+strings.Join(names, ", ")+show.Nearest(name, names))
	}
	return m
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

// check checks the values besides the parameters against their ranges.
func (d *document) check(f *file) {
	if !nameForm.MatchString(d.Name) {
		f.wrong("name", fmt.Sprintf("%q", d.Name), "lower-case letters, digits, dashes, dots and underscores, such as \"api-gateway\"")
	}
	if f.tick <= 0 {
		f.wrong("tick", d.Tick.String(), "a positive duration")
	}
	if f.given("population") && (d.Population < 1 || d.Population > maxPopulation) {
		f.wrong("population", fmt.Sprint(d.Population), fmt.Sprintf("a whole number from 1 to %d", maxPopulation))
	}
	if f.given("trial") && (d.Trial < minTrial || d.Trial > maxTrial) {
		f.wrong("trial", fmt.Sprint(d.Trial), fmt.Sprintf("from %d to %d operations", minTrial, maxTrial))
	}
	if !slices.Contains([]script.Unit{"", script.PerLifecycle, script.PerReschedule, script.PerTick}, d.Unit) {
		f.wrong("unit", fmt.Sprintf("%q", d.Unit), fmt.Sprintf("one of %s, %s, %s", script.PerLifecycle, script.PerReschedule, script.PerTick))
	}
}

// population returns the number of resident timers: the given one, or the one that
// follows from the rates. If a file has both, they must agree.
func population(f *file, w Workload) int {
	flow, ok := w.Model.(*Flow)
	if !ok || flow.Resident(w.Tick) == 0 {
		return w.Resident
	}
	const tolerance = 0.1 // chosen: the given population may be rounded
	switch leads := flow.Resident(w.Tick); {
	case leads > maxPopulation:
		f.faults = append(f.faults, fault{1, fmt.Sprintf("the rates lead to %.3g pending timers, want at most %d", leads, maxPopulation)})
	case w.Resident == 0:
		return max(1, int(math.Round(leads)))
	case math.Abs(float64(w.Resident)/leads-1) > tolerance:
		f.wrong("population", fmt.Sprint(w.Resident), fmt.Sprintf("about %.0f, to which the rates lead: leave it out", leads))
	}
	return w.Resident
}

// Print writes a workload as a scenario file, with a comment on each parameter.
func Print(w Workload) ([]byte, error) {
	kind := w.Kind()
	if kind.Name == "" {
		return nil, fmt.Errorf("workload %s: its model %T is none that scenario files have", w.Name, w.Model)
	}
	text, err := toml.Marshal(document{
		w.Name, w.Summary, w.Source, Duration(w.Tick), w.Resident, w.Trial, w.Unit, kind.Name, w.Model,
	})
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", w.Name, err)
	}
	return text, nil
}
