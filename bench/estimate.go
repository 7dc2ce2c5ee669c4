package bench

import (
	"runtime"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/structures/entry"
)

// Memory is the memory that one step of a run needs.
type Memory struct {
	Step  string
	Bytes uint64
}

// Bytes for each timer that a cell holds beside the structures.
const (
	scriptBytes  = 68        // while the fill is written
	idBytes      = 8         // of each instance
	keptBytes    = 4*16 + 32 // of single calls: operations after the fill, and its fire
	stubBytes    = 32
	goTimerBytes = 150
	unknownBytes = 400 // an upper bound for a structure that declares nothing
)

// peakRatio is the peak memory of a cell divided by what its structures declare. They hold
// 0.7 to 0.85 of it. At the peak it is up to 1.6 times as much: arrays are copied when they
// grow, and the garbage collector frees the old ones later.
const peakRatio = 1.2

// FitMemory returns the step of a run that needs the most memory, and that amount, accurate to
// about a third, from what the structures declare. Of lean loops, the structures of a cell that
// needs more than limit are to be measured one after the other: the configuration that it
// returns says so.
func FitMemory(cfg Config, limit uint64) (Config, Memory) {
	var largest Memory
	cfg.apart = make(map[string]bool)
	for w, n := range cfg.cells() {
		c := cfg.cell(w, n, replay.Clock{})
		var all, most int // bytes for each timer of all structures, and of the largest
		for _, e := range cfg.entries(n) {
			all += instanceBytes(e)
			most = max(most, instanceBytes(e))
		}
		perTimer := c.besideBytes() + all + most // of the control
		if cfg.Profile.timesCalls(w) {
			perTimer = scriptBytes + keptBytes + runtime.GOMAXPROCS(0)*most
		} else if c.lean && memoryOf(n, perTimer) > limit {
			cfg.apart[c.name()] = true
			perTimer = c.besideBytes() + most
		}
		if bytes := memoryOf(n, perTimer); bytes > largest.Bytes {
			largest = Memory{c.name(), bytes}
		}
	}
	return cfg, largest
}

func memoryOf(n, perTimer int) uint64 { return uint64(peakRatio * float64(n) * float64(perTimer)) }

// instanceBytes returns what an instance takes for a timer. A coarse one has a second one.
func instanceBytes(e entry.Entry) int {
	bytes := idBytes + unknownBytes
	if e.MaxBytes > 0 {
		bytes = idBytes + e.MaxBytes
	}
	if !e.Exact() {
		bytes *= 2
	}
	return bytes
}

// besideBytes returns what a cell takes for a timer without structures.
func (c cell) besideBytes() int {
	bytes := scriptBytes + idBytes // of the floor
	for _, r := range c.contenders(nil) {
		switch r.Structure {
		case StubName:
			bytes += idBytes + stubBytes
		case BaselineName:
			bytes += idBytes + goTimerBytes
		}
	}
	return bytes
}
