package workload

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Duration is a length of time, written "100ms" or "2m". A parameter must be positive, at least half a tick, because
// a shorter one would be rounded to a different value, and at most maxDelay ticks.
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

// Rate is a number of events a second.
type Rate float64

func (r Rate) perTick(tick time.Duration) float64 {
	return float64(float64(r)*float64(tick)) / float64(time.Second)
}

// Share is a part of a whole, from 0 to 1.
type Share float64

// Weight is a relative frequency: one of several choices is drawn in proportion to its weight.
type Weight float64

// maxWeight bounds weights, so that sums of their products with delays stay finite (chosen).
const maxWeight = 1e9

// Count is a number of things.
type Count int

const maxCount = 1_000_000

// allowed returns the allowed values of a parameter whose value is out of range, on a clock with that length of a
// tick. It returns nothing for an allowed value.
func allowed(parameter any, tick time.Duration) (want string) {
	switch v := parameter.(type) {
	case Duration:
		switch ticks := v.in(tick); {
		case v <= 0:
			return "a positive duration"
		case ticks < 0.5:
			return fmt.Sprintf("at least half a tick: timers count ticks of %v here, a shorter tick may be what you want", Duration(tick))
		case ticks > maxDelay:
			return fmt.Sprintf("at most 2^40 ticks of %v: a longer tick may be what you want", Duration(tick))
		}
	case Rate:
		if !(v > 0 && v <= math.MaxFloat64) {
			return "a number a second above 0"
		}
	case Share:
		if !(v >= 0 && v <= 1) {
			return "a share, from 0 to 1"
		}
	case Weight:
		if !(v >= 1/maxWeight && v <= maxWeight) {
			return fmt.Sprintf("a weight from %g to %g", 1/maxWeight, maxWeight)
		}
	case Count:
		if v < 1 || v > maxCount {
			return fmt.Sprintf("a whole number from 1 to %d", maxCount)
		}
	}
	return ""
}

// OutOfRange returns the errors of the parameters of a model, which are below a key. If each parameter is in its range, it checks
// how they fit together.
func OutOfRange(key string, m Model, tick time.Duration) []ParameterError {
	return outOfRange(key, reflect.ValueOf(m), tick)
}

func outOfRange(key string, v reflect.Value, tick time.Duration) (wrong []ParameterError) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return outOfRange(key, v.Elem(), tick)
	case reflect.Slice:
		for i := range v.Len() {
			wrong = append(wrong, outOfRange(fmt.Sprintf("%s[%d]", key, i), v.Index(i), tick)...)
		}
	case reflect.Struct:
		for field, value := range v.Fields() {
			name, options, _ := strings.Cut(field.Tag.Get("toml"), ",")
			if !strings.Contains(options, "omitempty") || !value.IsZero() {
				wrong = append(wrong, outOfRange(join(key, name), value, tick)...)
			}
		}
	default:
		if want := allowed(v.Interface(), tick); want != "" {
			wrong = append(wrong, ParameterError{key, fmt.Sprint(v), want})
		}
	}
	if c, ok := v.Addr().Interface().(Checker); ok && wrong == nil {
		for _, e := range c.Check() {
			wrong = append(wrong, ParameterError{join(key, e.Key), e.Value, e.Want})
		}
	}
	return wrong
}

// join returns the key of an entry in a table.
func join(key, below string) string { return strings.TrimSuffix(key+"."+below, ".") }

// ticks rounds a real number of ticks to a delay: at least one tick.
func ticks(x float64) structures.Tick {
	return structures.Tick(math.Min(math.Max(1, math.Floor(x+0.5)), maxDelay))
}

// maxDelay limits the delays drawn from distributions with a heavy tail, in ticks: 35 years at a tick of 1 ms.
const maxDelay = 1 << 40

// Checker is a group of parameters that depend on one another. Check returns what is
// wrong with their combination. Each of them by itself is in its range.
type Checker interface {
	Check() []ParameterError
}

// ParameterError names the wrong parameter and the expected value.
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
