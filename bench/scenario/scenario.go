// Package scenario reads workloads from TOML files, and prints them as such. A
// file says what bench.Workload and its model say in Go: a name, a tick, a kind of
// model and its parameters.
//
// docs/scenarios.md describes the format. Everything in a file is checked before
// anything runs, and each error says at which line and key it is, what is there
// and what was expected.
package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/suggest"
)

// header is all of a file but the parameters of its model.
type header struct {
	Name       string            `toml:"name"`
	Summary    string            `toml:"summary,omitempty"`
	Source     string            `toml:"source,omitempty" comment:"where the parameters come from"`
	Tick       workload.Duration `toml:"tick" comment:"what the clock counts in"`
	Population int               `toml:"population,omitempty" comment:"resident timers"`
	Trial      int               `toml:"trial,omitempty" comment:"operations in a timed trial"`
	Unit       script.Unit       `toml:"unit,omitempty" comment:"what a cost is counted per: lifecycle, reschedule or tick"`
	Model      string            `toml:"model" comment:"what the timers do"`
}

// The bounds of what a file may ask for: a population that fits into memory, and
// trials neither too short to be timed nor too long to be repeated.
const (
	maxPopulation      = 100_000_000
	minTrial, maxTrial = 1_000, 10_000_000
)

// builtIn is by whom a name is taken that no file has.
const builtIn = "a built-in workload, which is another one"

// Load reads scenario files. Their names must differ from one another's and from
// those of the built-in workloads, save of the one that a file describes as it is.
// When anything is wrong with any of them there
// are no workloads, and the error has a line for each fault.
func Load(paths ...string) ([]workload.Workload, error) {
	var list []workload.Workload
	var errs []error
	taken := make(map[string]string) // by name: by whom
	for _, w := range workload.All() {
		taken[w.Name] = builtIn
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("reading a scenario: %w", err))
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

// Parse reads the text of a scenario file; errors name the file as given.
func Parse(file string, data []byte) (workload.Workload, error) { return parse(file, data, nil) }

// problem is a fault at a line of a file.
type problem struct {
	line int
	text string
}

func parse(file string, data []byte, taken map[string]string) (workload.Workload, error) {
	w, problems := read(data, taken)
	slices.SortStableFunc(problems, func(a, b problem) int { return cmp.Compare(a.line, b.line) })
	var errs []error
	for _, p := range problems {
		errs = append(errs, fmt.Errorf("%s:%d: %s", file, p.line, p.text))
	}
	return w, errors.Join(errs...)
}

// read goes from what is written (TOML, keys, types) to what it means (ranges),
// and stops at the first of these at which anything is wrong.
func read(data []byte, taken map[string]string) (workload.Workload, []problem) {
	var values map[string]any
	if err := toml.Unmarshal(data, &values); err != nil {
		return workload.Workload{}, []problem{notTOML(data, err)}
	}
	file := placesOf(data)
	kind, problems := modelOf(values["model"], file)
	if problems != nil {
		return workload.Workload{}, problems
	}
	var head header
	model := kind.New()
	if problems := decode(data, file, &head, model); problems != nil {
		return workload.Workload{}, problems
	}
	w := workload.Workload{
		Name: head.Name, Summary: head.Summary, Source: head.Source,
		Tick: time.Duration(head.Tick), Resident: head.Population, Trial: head.Trial, Unit: head.Unit,
		Model: model, Category: workload.Custom, Definition: string(data),
	}
	if b, ok := builtInLike(w); ok {
		w.Category, w.Grid = b.Category, b.Grid
		if taken[w.Name] == builtIn {
			taken = nil // it keeps its name
		}
	}
	problems = head.check(file, taken)
	if w.Tick > 0 {
		given := func(key string) bool {
			_, there := file.find("parameters." + key)
			return there
		}
		for _, e := range workload.CheckModel(model, w.Tick, given) {
			problems = append(problems, file.locate("parameters", e))
		}
	}
	if problems != nil {
		return w, problems
	}
	w.Resident, problems = population(file, w)
	return w, problems
}

// builtInLike returns the built-in workload of the name of w, if w writes the same
// scripts: it is one that was printed and not changed.
func builtInLike(w workload.Workload) (b workload.Workload, ok bool) {
	b, _ = workload.Find(w.Name)
	w.Summary, w.Source, w.Definition, w.Extra = b.Summary, b.Source, b.Definition, b.Extra
	w.Category, w.Grid = b.Category, b.Grid
	return b, reflect.DeepEqual(w, b)
}

// notTOML says where a file is not TOML, with the line as it stands there.
func notTOML(data []byte, err error) problem {
	var wrong *toml.DecodeError
	if !errors.As(err, &wrong) {
		return problem{1, err.Error()}
	}
	line, _ := wrong.Position()
	text := strings.Split(string(data), "\n")[line-1]
	return problem{line, strings.TrimSpace(text) + ": " + strings.TrimPrefix(wrong.Error(), "toml: ")}
}

// modelOf finds the kind of model, which says what the parameters are.
func modelOf(value any, file *places) (workload.ModelKind, []problem) {
	name, _ := value.(string)
	kind, ok := workload.FindModel(name)
	if ok {
		return kind, nil
	}
	var names []string
	for _, k := range workload.Models() {
		names = append(names, k.Name)
	}
	at, _ := file.find("model")
	return kind, []problem{file.locate("", workload.ParameterError{
		Key: "model", Value: at.text, Want: "one of " + strings.Join(names, ", ") + suggest.Nearest(name, names),
	})}
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

// check holds what is not the model's against its ranges.
func (h *header) check(file *places, taken map[string]string) []problem {
	var out []problem
	wrong := func(key, value, want string) {
		out = append(out, file.locate("", workload.ParameterError{Key: key, Value: value, Want: want}))
	}
	if !nameForm.MatchString(h.Name) {
		wrong("name", fmt.Sprintf("%q", h.Name), "lower-case letters, digits, dashes, dots and underscores, such as \"api-gateway\"")
	} else if by, ok := taken[h.Name]; ok {
		wrong("name", fmt.Sprintf("%q", h.Name), "a name of its own, as this is that of "+by)
	}
	if h.Tick <= 0 {
		wrong("tick", h.Tick.String(), "a positive duration")
	}
	if _, given := file.find("population"); given && (h.Population < 1 || h.Population > maxPopulation) {
		wrong("population", fmt.Sprint(h.Population), fmt.Sprintf("a whole number from 1 to %d", maxPopulation))
	}
	if _, given := file.find("trial"); given && (h.Trial < minTrial || h.Trial > maxTrial) {
		wrong("trial", fmt.Sprint(h.Trial), fmt.Sprintf("from %d to %d operations", minTrial, maxTrial))
	}
	switch h.Unit {
	case "", script.PerLifecycle, script.PerReschedule, script.PerTick:
	default:
		wrong("unit", fmt.Sprintf("%q", h.Unit), fmt.Sprintf("one of %s, %s, %s", script.PerLifecycle, script.PerReschedule, script.PerTick))
	}
	return out
}

// population is how many timers are resident: what the file says, or what rates
// lead to. Where it has both they must agree.
func population(file *places, w workload.Workload) (int, []problem) {
	m, ok := w.Model.(interface{ Resident(time.Duration) float64 })
	if !ok || m.Resident(w.Tick) == 0 {
		return w.Resident, nil
	}
	leads := m.Resident(w.Tick)
	if leads > maxPopulation {
		return 0, []problem{{1, fmt.Sprintf("the rates lead to %.3g pending timers, want at most %d", leads, maxPopulation)}}
	}
	if w.Resident == 0 {
		return max(1, int(math.Round(leads))), nil
	}
	const tolerance = 0.1 // chosen: who states a population may round it
	if math.Abs(float64(w.Resident)/leads-1) > tolerance {
		return 0, []problem{file.locate("", workload.ParameterError{
			Key: "population", Value: fmt.Sprint(w.Resident),
			Want: fmt.Sprintf("about %.0f, to which the rates lead: leave it out", leads),
		})}
	}
	return w.Resident, nil
}
