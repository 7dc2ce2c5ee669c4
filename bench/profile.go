package bench

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/entry"
)

// Profile determines how much a run measures.
type Profile struct {
	Name   string
	Doc    string
	Trials int // rounds of each contender of a cell

	Budget Budget // the default of Config.Budget for the command

	Names    []string `toml:"workloads"` // of the workloads; empty: all
	Calls    []string // more workloads whose single calls are timed
	Extra    bool     // runs the extra workloads too
	ProveOps int      // operations with checked answers in a cell of few timers

	Sizes      []int // of the workloads that run at any size
	GridSizes  []int // of the comparison grid
	MixSizes   []int // of the other mixes
	CallSizes  []int // of the workloads with timed single calls
	MaxSize    int   // of the workloads with their own size; larger ones are scaled down
	MaxCycle   int   // of the cyclic workloads
	ThirdParty int   // largest size for adapters of third-party containers; 0: any

	// Cells of FrugalFrom timers or more leave out structures that were too slow at a tenth of the
	// size, and have fewer instances; 0: no cell. GridFrugalFrom is the same for the grid.
	FrugalFrom, GridFrugalFrom int

	FewFrom int // cells of that many timers or more have few contenders, see [cell.far]; 0: no cell

	Only []int // sizes of all workloads and of the memory analysis, instead of all others

	IdleTicks        int   // virtual time of the analysis of idle ticks
	IdleSizes        []int // of that analysis
	MemorySizes      []int // of the memory analysis
	ReplacedPerTimer int   // timers that the memory analysis replaces, per pending timer
	MaxReplaced      int   // the most timers that it replaces
}

//go:embed profiles.toml
var profilesTOML []byte

// Profiles returns the profiles, the quickest first.
func Profiles() []Profile { return slices.Clone(profiles()) }

var profiles = sync.OnceValue(func() []Profile {
	var file struct{ Profile []Profile }
	if err := toml.NewDecoder(bytes.NewReader(profilesTOML)).DisallowUnknownFields().Decode(&file); err != nil {
		panic(fmt.Sprintf("bench: profiles.toml: %v", err))
	}
	return file.Profile
})

// UnmarshalText reads the time of a budget, such as 5m.
func (b *Budget) UnmarshalText(text []byte) (err error) {
	b.Limit, err = time.ParseDuration(string(text))
	return err
}

// FindProfile returns the profile with a name.
func FindProfile(name string) (Profile, bool) {
	i := slices.IndexFunc(Profiles(), func(p Profile) bool { return p.Name == name })
	if i < 0 {
		return Profile{}, false
	}
	return Profiles()[i], true
}

// Workloads returns the workloads of the profile.
func (p Profile) Workloads() []workload.Workload {
	return slices.DeleteFunc(workload.All(), func(w workload.Workload) bool {
		if len(p.Names) > 0 {
			return !slices.Contains(p.Names, w.Name)
		}
		return w.Extra && !p.Extra
	})
}

func (p Profile) timesCalls(w workload.Workload) bool {
	return w.Kind().SingleCalls || slices.Contains(p.Calls, w.Name)
}

func (p Profile) sizesOf(w workload.Workload) []int {
	switch {
	case len(p.Only) > 0:
		return p.Only
	case w.Resident > 0:
		own := min(w.Resident, p.MaxSize)
		return append(slices.DeleteFunc(slices.Clone(w.Sizes), func(n int) bool { return n >= own }), own)
	case p.timesCalls(w):
		return p.CallSizes
	case w.Grid != nil:
		return p.GridSizes
	case w.Kind().Mixed:
		return p.MixSizes
	case w.Kind().Cyclic:
		return slices.DeleteFunc(slices.Clone(p.Sizes), func(n int) bool { return n > p.MaxCycle })
	}
	return slices.Sorted(slices.Values(p.Sizes))
}

func (p Profile) leaves(w workload.Workload, n int) crowd {
	from := p.FrugalFrom
	if w.Grid != nil {
		from = p.GridFrugalFrom
	}
	switch {
	case p.FewFrom > 0 && n >= p.FewFrom:
		return allButFew
	case from > 0 && n >= from:
		return allButSlow
	}
	return everyone
}

func (p Profile) fit(all []entry.Entry, n int) []entry.Entry {
	return slices.DeleteFunc(slices.Clone(all), func(e entry.Entry) bool {
		return e.Limit > 0 && n > e.Limit || e.ThirdParty != "" && p.ThirdParty > 0 && n > p.ThirdParty
	})
}
