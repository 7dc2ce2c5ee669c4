package workload

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/timerbench/timerbench/bench/script"
)

// Delay is a distribution of delays: its kind and the parameters of that kind, which are one of
//
//   - a mean: every kind but "mixture";
//   - a low and a high end: "uniform";
//   - a median and an upper quartile: "lognormal";
//   - parts, each with its weight: "mixture".
//
// A drawn delay is rounded to whole ticks and is at least one tick.
type Delay struct {
	Kind          string   `toml:"kind"`
	Mean          Duration `toml:"mean,omitempty"`
	Low           Duration `toml:"low,omitempty"`
	High          Duration `toml:"high,omitempty"`
	Median        Duration `toml:"median,omitempty"`
	UpperQuartile Duration `toml:"upper_quartile,omitempty"`
	Parts         []Part   `toml:"parts,omitempty,multiline"`
}

// Part is one of the delays of a mixture.
type Part struct {
	Weight Weight `toml:"weight"`
	Delay
}

// mixture is the kind of delay that has parts.
const mixture = "mixture"

// Constant is the kind of delay that is the same for all timers, so that deadlines arrive in their order.
const Constant = "constant"

// DelayKinds returns the kinds of delays, in the order of the documentation.
func DelayKinds() []string {
	var names []string
	for _, family := range script.AllDists() {
		names = append(names, family.Name)
	}
	return append(names, mixture)
}

// forms lists the ways to give a kind of delay: the parameters of each.
func forms(kind string) []string {
	switch kind {
	case "uniform":
		return []string{"mean", "low and high", "high"}
	case "lognormal":
		return []string{"mean", "median and upper_quartile"}
	case mixture:
		return []string{"parts"}
	}
	return []string{"mean"}
}

// givenParameters names the parameters that are not 0, in the notation of forms.
func (d *Delay) givenParameters() string {
	var names []string
	for field, value := range reflect.ValueOf(d).Elem().Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("toml"), ","); name != "kind" && !value.IsZero() {
			names = append(names, name)
		}
	}
	return strings.Join(names, " and ")
}

// Check returns an error if the parameters do not fit the kind.
func (d *Delay) Check() []ParameterError {
	if kinds := DelayKinds(); !slices.Contains(kinds, d.Kind) {
		value := ""
		if d.Kind != "" {
			value = fmt.Sprintf("%q", d.Kind)
		}
		return []ParameterError{{"kind", value, "one of " + strings.Join(kinds, ", ")}}
	}
	given := d.givenParameters()
	if want := forms(d.Kind); !slices.Contains(want, given) {
		if given == "" {
			given = "no parameter"
		}
		return []ParameterError{{"", given, "for a delay of kind " + d.Kind + " " + strings.Join(want, ", or ")}}
	}
	if d.High != 0 && d.High <= d.Low {
		return []ParameterError{{"high", d.High.String(), fmt.Sprintf("more than low, which is %v", d.Low)}}
	}
	if d.Median != 0 && d.UpperQuartile <= d.Median {
		return []ParameterError{{"upper_quartile", d.UpperQuartile.String(), fmt.Sprintf("more than the median, which is %v", d.Median)}}
	}
	return nil
}

// dist returns the distribution in ticks. The delay must have passed its Check.
func (d *Delay) dist(tick time.Duration) script.Dist {
	switch {
	case d.Kind == mixture:
		var parts []script.Part
		for _, p := range d.Parts {
			parts = append(parts, script.Part{Weight: float64(p.Weight), Dist: p.dist(tick)})
		}
		return script.Mixture(parts...)
	case d.High > 0:
		return script.Uniform(d.Low.in(tick), d.High.in(tick))
	case d.Median > 0:
		return script.LogNormalQuantiles(d.Median.in(tick), d.UpperQuartile.in(tick))
	}
	family, _ := script.FindDist(d.Kind)
	return family.New(d.Mean.in(tick))
}

var kindOfDelay = regexp.MustCompile(`{kind = '([a-z]+)'`)

// Delays names the kinds of the delays of a model, in the order of its parameters, as a scenario file has them.
func Delays(m Model) (kinds []string) {
	text, _ := toml.Marshal(m) // a model can be written
	for _, found := range kindOfDelay.FindAllSubmatch(text, -1) {
		if kind := string(found[1]); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
