package workload

import (
	"fmt"
	"slices"
	"time"

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
			w.Category, w.Grid = Grid, &GridPlace{d.Name, percent}
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
