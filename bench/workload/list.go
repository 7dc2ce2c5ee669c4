package workload

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/timerbench/timerbench/bench/script"
)

// IdleName is the workload that the idle analysis goes with.
const IdleName = "idle"

// All returns every workload, in the order of the tables: first the synthetic ones,
// then the grid, then mixes and those modelled on programs.
func All() []Workload {
	list := programs()
	mixes := slices.IndexFunc(list, func(w Workload) bool { return w.Name == "periodic" })
	return slices.Concat(holds(), list[:mixes], grid(), list[mixes:])
}

// chosen returns a synthetic workload at a tick of 1 ms.
func chosen(name, summary, source string, m Model) Workload {
	return Workload{Name: name, Category: Synthetic, Summary: summary, Source: source, Tick: time.Millisecond, Model: m}
}

// HoldWith returns the hold model with delays of a kind, 30 s on average.
func HoldWith(kind string) Workload {
	return chosen("hold", "a timer fires, the next is scheduled; the population stays",
		"hold model: Vaucher & Duval 1975, Jones 1986; mean delay of 30,000 ticks chosen", &Hold{Delay: delayOf(kind)})
}

// holds returns the hold model with each distribution of Jones 1986, and the hold model
// with cancels. Only the uniform one is not extra. With cancels, delays are exponential, which
// is memoryless: cancelling a random timer does not change the distribution of the others.
func holds() []Workload {
	list := []Workload{HoldWith("uniform")}
	for _, kind := range []string{"exponential", "biased", "triangular", "bimodal"} {
		w := HoldWith(kind)
		w.Name += "-" + kind
		w.Summary += "; " + kind + " increments"
		w.Extra = true
		list = append(list, w)
	}
	for percent := 0; percent <= 50; percent += 10 {
		w := chosen(fmt.Sprintf("cancel-hold-%d", percent),
			fmt.Sprintf("hold, but %d %% are cancelled before they fire, and 5 %% are moved", percent),
			"chosen, on the hold model; mean delay of 30,000 ticks chosen",
			&CancelHold{Delay: delayOf("exponential"), Cancel: Share(percent) / 100, Reschedule: 0.05})
		w.Extra = true
		list = append(list, w)
	}
	return list
}

// grid returns the comparison grid: each distribution of delays with each share of cancelled timers. Timers arrive, a
// share of them is cancelled before it fires, the others fire, and the clock moves on. Shares and delays are chosen.
// Two distributions are not extra at 0, 50 and 90 % cancelled: one is spread out, one is in clusters. Constant
// delays, the timeouts of most programs, are not extra at 0 and 90 %: the shares between lie between.
func grid() []Workload {
	normal := map[string][]int{Constant: {0, 90}, "uniform": {0, 50, 90}, "clustered": {0, 50, 90}}
	var list []Workload
	for _, d := range script.GridDists() {
		for _, percent := range []int{0, 10, 50, 90, 99} {
			w := chosen(fmt.Sprintf("grid-%s-%d", d.Name, percent),
				fmt.Sprintf("%s delays, %d %% cancelled before they fire", d.Name, percent), "chosen; "+d.Doc,
				&Flow{Classes: []Class{{Delay: delayOf(d.Name), Shares: &Shares{Cancel: Share(percent) / 100}}}})
			w.Category, w.Grid = Grid, &script.Place{Delays: d.Name, CancelPercent: percent}
			w.Extra = !slices.Contains(normal[d.Name], percent)
			list = append(list, w)
		}
	}
	return list
}

// Find returns the workload of that name.
func Find(name string) (Workload, bool) {
	for _, w := range All() {
		if w.Name == name {
			return w, true
		}
	}
	return Workload{}, false
}

//go:embed programs.toml
var programsFile []byte

// program is an entry of programs.toml: a workload, its kind of model and the parameters of that.
type program struct {
	Name, Summary, Source string
	Category              Category // empty: Program
	Tick                  Duration
	Population            int // resident timers
	Unit                  script.Unit
	Sizes                 []int // see Workload, as for the next ones
	WarmUp                int   `toml:"warm_up"`
	Definition            int
	Extra                 bool
	Model                 string
	Parameters            map[string]any
}

// programs returns the workloads of programs.toml: models of programs, and mixes.
var programs = sync.OnceValue(func() []Workload {
	list, err := readPrograms(programsFile)
	if err != nil {
		panic(err)
	}
	return list
})

// readPrograms reads the text of programs.toml. Its error names the entry and the fault.
func readPrograms(text []byte) (list []Workload, err error) {
	var file struct{ Workload []program }
	if err := toml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("programs.toml: %w", err)
	}
	for _, e := range file.Workload {
		w, err := e.workload()
		if err != nil {
			return nil, fmt.Errorf("programs.toml: %q: %w", e.Name, err)
		}
		list = append(list, w)
	}
	return list, nil
}

func (e program) workload() (Workload, error) {
	w := Workload{
		Name: e.Name, Summary: e.Summary, Source: e.Source, Category: cmp.Or(e.Category, Program), Tick: time.Duration(e.Tick),
		Resident: e.Population, Unit: e.Unit, Sizes: e.Sizes, LongWarmUp: e.WarmUp, Definition: e.Definition, Extra: e.Extra,
	}
	var kinds []string
	if w.Model, kinds = FindModel(e.Model); w.Model == nil {
		return w, fmt.Errorf("model %q: want one of %s", e.Model, strings.Join(kinds, ", "))
	}
	text, err := toml.Marshal(e.Parameters)
	if err == nil {
		err = toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(w.Model)
	}
	if err != nil {
		return w, fmt.Errorf("parameters: %w", err)
	}
	if flow, ok := w.Model.(*Flow); ok && w.Resident == 0 && flow.byRate() {
		return w, fmt.Errorf("population is missing: want the number of pending timers that follows from the rates, about %.0f", flow.Resident(w.Tick))
	}
	return w, nil
}
