// Package scenario reads and writes workloads as TOML files. A file holds the fields of a [workload.Workload]: a name, a
// tick, a kind of model and its parameters.
//
// docs/scenarios.md describes the format. The whole file is checked before anything runs: the reader of TOML names
// the line of a syntax error, and the check of ranges names the key, the value and the expected value.
package scenario

import (
	"bytes"
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
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/files"
	"github.com/timerbench/timerbench/internal/show"
)

type document struct {
	Name       string            `toml:"name"`
	Summary    string            `toml:"summary,omitempty"`
	Source     string            `toml:"source,omitempty" comment:"where the parameters come from"`
	Tick       workload.Duration `toml:"tick" comment:"what the clock counts in"`
	Population int               `toml:"population,omitempty" comment:"resident timers"`
	Unit       script.Unit       `toml:"unit,omitempty" comment:"what a cost is counted per: lifecycle, reschedule or tick"`
	Model      string            `toml:"model" comment:"what the timers do"`
	Parameters workload.Model    `toml:"parameters"`
}

// The limits of a file. A number without a unit is a tick in nanoseconds, which is hardly meant. The population must fit into
// memory.
const (
	minTick       = time.Microsecond
	maxPopulation = 100_000_000
)

// builtIn is the owner of the names of the built-in workloads, in errors.
const builtIn = "a built-in workload, which is another one"

// Load reads scenario files. The names of their workloads must be unique. A file may use
// the name of a built-in workload only if it describes that workload unchanged. If any
// file has a fault, Load returns no workloads, and the error has a line for each fault.
func Load(paths ...string) ([]workload.Workload, error) {
	var list []workload.Workload
	var errs []error
	taken := make(map[string]string) // owner of each name
	for _, w := range workload.All() {
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
func Parse(file string, data []byte) (workload.Workload, error) { return parse(file, data, nil) }

// FindIn looks among the texts of scenario files, by name, and then among the built-in workloads.
func FindIn(texts map[string]string, name string) (workload.Workload, bool) {
	if text, ok := texts[name]; ok {
		w, err := Parse(name, []byte(text))
		return w, err == nil
	}
	return workload.Find(name)
}

func parse(file string, data []byte, taken map[string]string) (workload.Workload, error) {
	w, faults := read(data, taken)
	for i, fault := range faults {
		faults[i] = errors.New(show.Safe(file + ":" + fault.Error()))
	}
	return w, errors.Join(faults...)
}

// read returns the faults of the first of these checks that fails: TOML, keys and types, and ranges.
func read(data []byte, taken map[string]string) (w workload.Workload, faults []error) {
	var kind struct{ Model string }
	if err := toml.Unmarshal(data, &kind); err != nil {
		return w, linesOf(data, err)
	}
	model, names := workload.FindModel(kind.Model)
	if model == nil {
		return w, []error{outside("model", fmt.Sprintf("%q", kind.Model), "one of "+strings.Join(names, ", ")+show.Nearest(kind.Model, names))}
	}
	d, err := decode(data, model)
	if err != nil {
		return w, linesOf(data, err)
	}
	if faults = d.check(); time.Duration(d.Tick) >= minTick {
		for _, e := range workload.OutOfRange("parameters", model, time.Duration(d.Tick)) {
			faults = append(faults, outside(e.Key, e.Value, e.Want))
		}
	}
	w = workload.Workload{
		Name: d.Name, Category: workload.Custom, Summary: d.Summary, Source: d.Source, Tick: time.Duration(d.Tick), Model: d.Parameters,
		Resident: d.Population, Unit: d.Unit, Scenario: string(data),
	}
	if b, ok := builtInLike(w); ok {
		w.Category, w.Grid = b.Category, b.Grid
		if taken[w.Name] == builtIn {
			taken = nil // it may keep its name
		}
	}
	if by, ok := taken[w.Name]; ok {
		faults = append(faults, outside("name", fmt.Sprintf("%q", w.Name), "a name of its own, as this is that of "+by))
	}
	if faults == nil {
		w.Resident, err = population(w)
	}
	if err != nil {
		faults = append(faults, err)
	}
	return w, faults
}

// outside returns the fault of a value that is out of its range.
func outside(key, value, want string) error {
	return fmt.Errorf(" %w", workload.ParameterError{Key: key, Value: value, Want: want})
}

// decode decodes a document with the parameters of a model, which holds the defaults. It returns an error for keys that do not
// exist. The decoder does not look into interfaces, so it gets a document with the type of the model.
func decode(data []byte, model workload.Model) (d document, err error) {
	d.Parameters = model
	v := reflect.ValueOf(&d).Elem()
	var fields []reflect.StructField
	for f, value := range v.Fields() {
		if value.Kind() == reflect.Interface {
			f.Type = value.Elem().Type()
		}
		fields = append(fields, f)
	}
	typed := reflect.New(reflect.StructOf(fields)).Elem()
	typed.FieldByName("Parameters").Set(reflect.ValueOf(model))
	err = toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(typed.Addr().Interface())
	for i := range fields {
		v.Field(i).Set(typed.Field(i))
	}
	return d, err
}

// builtInLike returns the built-in workload with the name of w. ok reports whether w
// writes the same scripts: it was printed and not changed.
func builtInLike(w workload.Workload) (b workload.Workload, ok bool) {
	b, _ = workload.Find(w.Name)
	w.Summary, w.Source, w.Scenario, w.Extra = b.Summary, b.Source, b.Scenario, b.Extra
	w.Definition, w.Sizes, w.LongWarmUp = b.Definition, b.Sizes, b.LongWarmUp
	w.Category, w.Grid = b.Category, b.Grid
	return b, reflect.DeepEqual(w, b)
}

// linesOf returns the errors of the reader of TOML with their lines.
func linesOf(data []byte, err error) (faults []error) {
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case errors.As(err, &unknown):
		for _, e := range unknown.Errors {
			line, _ := e.Position()
			faults = append(faults, fmt.Errorf("%d: %s: there is no such key", line, strings.Join(e.Key(), ".")))
		}
	case errors.As(err, &wrong):
		line, _ := wrong.Position()
		text := strings.TrimSpace(strings.Split(string(data), "\n")[line-1])
		if most := 100; len(text) > most || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			text = fmt.Sprintf("%q", text[:min(most, len(text))])
		}
		faults = append(faults, fmt.Errorf("%d: %s: %s", line, text, strings.TrimPrefix(wrong.Error(), "toml: ")))
	default:
		faults = append(faults, fmt.Errorf(" %w", err)) // a number where a duration is expected
	}
	return faults
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

// check checks the values besides the parameters against their ranges.
func (d *document) check() (faults []error) {
	for _, c := range []struct {
		ok               bool
		key, value, want string
	}{
		{nameForm.MatchString(d.Name), "name", fmt.Sprintf("%q", d.Name), "lower-case letters, digits, dashes, dots and underscores, such as \"api-gateway\""},
		{time.Duration(d.Tick) >= minTick, "tick", d.Tick.String(), fmt.Sprintf("a duration of at least %v, such as \"1ms\"", minTick)},
		{d.Population >= 0 && d.Population <= maxPopulation, "population", fmt.Sprint(d.Population), fmt.Sprintf("a whole number from 1 to %d", maxPopulation)},
		{slices.Contains([]script.Unit{"", script.PerLifecycle, script.PerReschedule, script.PerTick}, d.Unit), "unit", fmt.Sprintf("%q", d.Unit),
			fmt.Sprintf("one of %s, %s, %s", script.PerLifecycle, script.PerReschedule, script.PerTick)},
	} {
		if !c.ok {
			faults = append(faults, outside(c.key, c.value, c.want))
		}
	}
	return faults
}

// population returns the number of resident timers: the given one, or the one that
// follows from the rates. If a file has both, they must agree.
func population(w workload.Workload) (int, error) {
	flow, ok := w.Model.(*workload.Flow)
	if !ok || flow.Resident(w.Tick) == 0 {
		return w.Resident, nil
	}
	const tolerance = 0.1 // chosen: the given population may be rounded
	switch leads := flow.Resident(w.Tick); {
	case leads > maxPopulation:
		return 0, outside("parameters", fmt.Sprintf("rates that lead to %.3g pending timers", leads), fmt.Sprintf("at most %d", maxPopulation))
	case w.Resident == 0:
		return max(1, int(math.Round(leads))), nil
	case math.Abs(float64(w.Resident)/leads-1) > tolerance:
		return 0, outside("population", fmt.Sprint(w.Resident), fmt.Sprintf("about %.0f, to which the rates lead: leave it out", leads))
	}
	return w.Resident, nil
}

// Print writes a workload as a scenario file, with a comment on each parameter.
func Print(w workload.Workload) ([]byte, error) {
	kind := w.Kind()
	if kind.Name == "" {
		return nil, fmt.Errorf("workload %s: its model %T is none that scenario files have", w.Name, w.Model)
	}
	text, err := toml.Marshal(document{
		w.Name, w.Summary, w.Source, workload.Duration(w.Tick), w.Resident, w.Unit, kind.Name, w.Model,
	})
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", w.Name, err)
	}
	return text, nil
}
