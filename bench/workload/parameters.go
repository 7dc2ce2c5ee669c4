package workload

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Duration is a length of time, written "100ms" or "2m". Where it is a parameter
// it must be positive, no shorter than half a tick, as what is shorter would be
// rounded to something else, and no longer than a delay can be.
type Duration time.Duration

// MarshalText writes the duration without units of which there are none: "2m",
// not "2m0s".
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// UnmarshalText reads what time.ParseDuration reads.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q: want a duration such as \"100ms\", \"1.5s\" or \"2h\"", text)
	}
	*d = Duration(parsed)
	return nil
}

// in returns the duration in ticks, not rounded to whole ones.
func (d Duration) in(tick time.Duration) float64 { return float64(d) / float64(tick) }

func (d Duration) check(tick time.Duration) string {
	switch {
	case d <= 0:
		return "a positive duration"
	case d.in(tick) < 0.5:
		return fmt.Sprintf("at least half a tick: timers count ticks of %v here, a shorter tick may be what you want", Duration(tick))
	case d.in(tick) > never:
		return fmt.Sprintf("at most 2^40 ticks of %v: a longer tick may be what you want", Duration(tick))
	}
	return ""
}

// Rate is a number of events a second.
type Rate float64

// perTick returns the number of events a tick.
func (r Rate) perTick(tick time.Duration) float64 {
	return float64(float64(r)*float64(tick)) / float64(time.Second)
}

func (r Rate) check(time.Duration) string { return positive(float64(r), "a number a second") }

// Share is a part of a whole, from 0 to 1.
type Share float64

func (s Share) check(time.Duration) string {
	if !(s >= 0 && s <= 1) {
		return "a share, from 0 to 1"
	}
	return ""
}

// Weight is how often one of several is chosen, in proportion to the weights of
// the others.
type Weight float64

// maxWeight bounds weights, so that sums of their products with delays stay finite
// (chosen).
const maxWeight = 1e9

func (w Weight) check(time.Duration) string {
	if !(w >= 1/maxWeight && w <= maxWeight) {
		return fmt.Sprintf("a weight from %g to %g", 1/maxWeight, maxWeight)
	}
	return ""
}

// Count is a number of things.
type Count int

// maxCount is more than anything that is counted here (chosen).
const maxCount = 1_000_000

func (c Count) check(time.Duration) string {
	if c < 1 || c > maxCount {
		return fmt.Sprintf("a whole number from 1 to %d", maxCount)
	}
	return ""
}

// positive says what is wanted if x is not a finite number above 0.
func positive(x float64, what string) string {
	if x > 0 && x <= math.MaxFloat64 {
		return ""
	}
	return what + " above 0"
}

// ticks rounds a real number of ticks to a delay: at least one tick.
func ticks(x float64) structures.Tick {
	return structures.Tick(math.Min(math.Max(1, math.Floor(x+0.5)), never))
}

// never bounds the delays that heavy tails draw: 35 years at a tick of 1 ms.
const never = 1 << 40

// Checker is a group of parameters that depend on one another: Check says what is
// wrong with the whole, where each by itself may be right.
type Checker interface {
	Check() []ParameterError
}

// ParameterError says which parameter is wrong, and what it should be.
type ParameterError struct {
	Key   string // as in "class[0].delay.mean"; empty: the group as a whole
	Value string // what is there
	Want  string
}

func (e ParameterError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("%s: want %s", e.Key, e.Want)
	}
	return fmt.Sprintf("%s = %s: want %s", e.Key, e.Value, e.Want)
}

// CheckModel holds the parameters of a model against the ranges of their types
// and against one another, where ticks have that length. It returns all that is
// wrong.
//
// A parameter that may be left out is not wrong for being 0, unless given, which
// may be nil, says that its key was there: a rate of 0 is not a rate left out.
func CheckModel(m Model, tick time.Duration, given func(key string) bool) []ParameterError {
	c := modelCheck{tick, given}
	return c.value(reflect.ValueOf(m), "", "")
}

// parameter is a type of parameter that knows its range: check says what is
// wanted instead, or nothing.
type parameter interface {
	check(tick time.Duration) string
}

type modelCheck struct {
	tick  time.Duration
	given func(key string) bool
}

func (c modelCheck) value(v reflect.Value, key string, tag reflect.StructTag) []ParameterError {
	if _, options, _ := strings.Cut(tag.Get("toml"), ","); strings.Contains(options, "omitempty") && v.IsZero() {
		if tag.Get("zero") == "no" && c.given != nil && c.given(key) {
			return []ParameterError{{key, fmt.Sprint(v), "more than 0, unless it is left out"}}
		}
		return nil
	}
	if p, ok := v.Interface().(parameter); ok {
		if want := p.check(c.tick); want != "" {
			return []ParameterError{{key, fmt.Sprint(p), want}}
		}
		return nil
	}
	var errs []ParameterError
	switch v.Kind() {
	case reflect.Pointer:
		return c.value(v.Elem(), key, "")
	case reflect.Slice:
		for i := range v.Len() {
			errs = append(errs, c.value(v.Index(i), fmt.Sprintf("%s[%d]", key, i), "")...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			tag := v.Type().Field(i).Tag
			name, _, _ := strings.Cut(tag.Get("toml"), ",")
			errs = append(errs, c.value(v.Field(i), join(key, name), tag)...)
		}
		if checker, ok := v.Addr().Interface().(Checker); ok && len(errs) == 0 {
			for _, e := range checker.Check() {
				errs = append(errs, ParameterError{join(key, e.Key), e.Value, e.Want})
			}
		}
	}
	return errs
}

// join puts a key below another; either may be empty.
func join(key, below string) string {
	if key == "" || below == "" {
		return key + below
	}
	return key + "." + below
}
