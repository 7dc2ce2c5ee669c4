package workload

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Duration is a length of time, written "100ms" or "2m". A parameter must be positive,
// at least half a tick, because a shorter one would be rounded to a different value, and
// at most maxDelay ticks.
type Duration time.Duration

// MarshalText writes the duration without zero units: "2m", not "2m0s".
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

// ticks returns the duration in whole ticks.
func (d Duration) ticks(tick time.Duration) structures.Tick { return ticks(d.in(tick)) }

func (d Duration) check(tick time.Duration) string {
	switch {
	case d <= 0:
		return "a positive duration"
	case d.in(tick) < 0.5:
		return fmt.Sprintf("at least half a tick: timers count ticks of %v here, a shorter tick may be what you want", Duration(tick))
	case d.in(tick) > maxDelay:
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

func (r Rate) check(time.Duration) string { return wantPositive(float64(r), "a number a second") }

// Share is a part of a whole, from 0 to 1.
type Share float64

func (s Share) check(time.Duration) string {
	if !(s >= 0 && s <= 1) {
		return "a share, from 0 to 1"
	}
	return ""
}

// Weight is a relative frequency: one of several choices is drawn in proportion to its
// weight.
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

// maxCount limits counts (chosen).
const maxCount = 1_000_000

func (c Count) check(time.Duration) string {
	if c < 1 || c > maxCount {
		return fmt.Sprintf("a whole number from 1 to %d", maxCount)
	}
	return ""
}

// wantPositive returns what is wanted if x is not a finite number above 0.
func wantPositive(x float64, what string) string {
	if x > 0 && x <= math.MaxFloat64 {
		return ""
	}
	return what + " above 0"
}

// ticks rounds a real number of ticks to a delay: at least one tick.
func ticks(x float64) structures.Tick {
	return structures.Tick(math.Min(math.Max(1, math.Floor(x+0.5)), maxDelay))
}

// maxDelay limits the delays drawn from distributions with a heavy tail, in ticks: 35
// years at a tick of 1 ms.
const maxDelay = 1 << 40

// Checker is a group of parameters that depend on one another. Check returns what is
// wrong with their combination. Each of them by itself is in its range.
type Checker interface {
	Check() []ParameterError
}

// ParameterError says which parameter is wrong and what is expected.
type ParameterError struct {
	Key   string // as in "class[0].delay.mean"; empty: the group as a whole
	Value string // the given value; empty: missing
	Want  string
}

func (e ParameterError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("%s: want %s", e.Key, e.Want)
	}
	return fmt.Sprintf("%s = %s: want %s", e.Key, e.Value, e.Want)
}

// CheckModel checks the parameters of a model, for ticks of that length: each against
// the range of its type, and those that depend on one another together. It returns all
// errors.
//
// An optional parameter may be 0, which means that it was left out. given, which may be
// nil, reports whether its key was given. If it was, 0 is an error for parameters with
// the tag zero:"no".
func CheckModel(m Model, tick time.Duration, given func(key string) bool) []ParameterError {
	c := modelCheck{tick, given}
	return c.value(reflect.ValueOf(m), "", "")
}

// parameter is a type of parameter with a range. check returns what is expected, or an
// empty string if the value is in the range.
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

// join returns the key of a parameter in a group; either key may be empty.
func join(key, below string) string {
	if key == "" || below == "" {
		return key + below
	}
	return key + "." + below
}
