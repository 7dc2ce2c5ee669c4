package answer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/show"
)

// Rate is the number of events per second of a program, for each unit of cost. 0: not known.
type Rate struct {
	Timers float64 `json:"timers"` // timers started
	Moves  float64 `json:"moves"`  // timers moved
	Calls  float64 `json:"calls"`  // timers started, moved, cancelled or fired; if it is known, the others do not count
}

// of returns the events per second for a cell, their name in the plural, and the units of the cell's cost in one.
func (r Rate) of(e Evidence) (perSecond float64, what string, units float64) {
	switch {
	case r.Calls > 0:
		return r.Calls, "calls", 1 / e.calls
	case e.Unit == script.PerLifecycle:
		return r.Timers, "timers", 1
	case e.Unit == script.PerReschedule:
		return r.Moves, "moves", 1
	}
	return 0, "", 0
}

// leastCores is the smallest difference in cores that matters (chosen).
const leastCores = 0.1

// worth compares the named structure with the default, or the default with the next one, in cores and memory, at the rate of the
// question. It is empty where the rate or the cost is not known.
func (a *Answer) worth() string {
	first, other := a.Of(a.Name), a.Of(a.Against)
	rate, what, units := a.Rate.of(a.Evidence[0])
	if rate == 0 || first.NS == 0 || other == nil {
		return ""
	}
	cores := func(s *Ranked) float64 { return rate * units * first.NS / 1e9 * s.Cost / first.Cost }
	takes := func(s *Ranked) string {
		out := ofCores(cores(s))
		if s.Bytes > 0 {
			out += " and " + show.Bytes(a.N*s.Bytes)
		}
		return out
	}
	difference := max(cores(first)-cores(other), cores(other)-cores(first))
	if show.Figure(rate) == "1" {
		what = strings.TrimSuffix(what, "s")
	}
	out := fmt.Sprintf("At %s %s a second, %s takes %s, and %s %s: ", show.Figure(rate), what, first.Structure, takes(first),
		other.Structure, takes(other))
	if difference < leastCores {
		return out + "the difference is too small to matter."
	}
	return out + "a difference of " + ofCores(difference) + "."
}

// rival returns the structure that the choice is measured against: the default, or the next one, or any other; empty: there is
// no other.
func (a *Answer) rival() string {
	switch {
	case a.Name != Default && a.Of(Default) != nil:
		return Default
	case a.Next != nil:
		return a.Next.Structure
	}
	for _, s := range a.Ranking {
		if s.Structure != a.Name {
			return s.Structure
		}
	}
	return ""
}

// ofCores writes a number of cores with two digits.
func ofCores(cores float64) string {
	cores, _ = strconv.ParseFloat(strconv.FormatFloat(cores, 'g', 2, 64), 64)
	switch {
	case cores < 1:
		return show.Percent(cores) + " of a core"
	case cores == 1:
		return "1 core"
	}
	return show.Figure(cores) + " cores"
}
