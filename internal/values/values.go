// Package values has the types of flags: numbers, lists of numbers, shares.
package values

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// MaxSize bounds numbers of timers: beyond it a run would not fit into memory.
const MaxSize = 100_000_000

// grouped is a number whose digits stand in groups of three.
var grouped = regexp.MustCompile(`^\d{1,3}(,\d{3})+$`)

// ParseNumber reads a whole number from 1 to most: 200000, 200,000, 200k, 2e5.
func ParseNumber(text string, most float64) (float64, error) {
	number, factor := strings.TrimSpace(text), 1.0
	if grouped.MatchString(number) {
		number = strings.ReplaceAll(number, ",", "")
	}
	if n := len(number); n > 0 {
		switch number[n-1] {
		case 'k', 'K':
			number, factor = number[:n-1], 1e3
		case 'm', 'M':
			number, factor = number[:n-1], 1e6
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	v *= factor
	if err != nil || v != math.Trunc(v) || v < 1 || v > most {
		return 0, fmt.Errorf("%q: want a whole number from 1 to 1e%.0f, such as 200000, 200,000, 200k or 2e5",
			text, math.Log10(most))
	}
	return v, nil
}

// Number is a flag: a whole number from 1 to most, such as 10e6.
type Number struct {
	Value, Most float64 // Value 0: not given
}

// Type returns the name of the type, which help shows.
func (n *Number) Type() string { return "number" }

func (n *Number) String() string {
	if n.Value == 0 {
		return ""
	}
	return strconv.FormatFloat(n.Value, 'f', -1, 64)
}

// Set reads a number.
func (n *Number) Set(text string) (err error) {
	n.Value, err = ParseNumber(text, n.Most)
	return err
}

// Rate is a flag: a whole number a second, such as 50000/s.
type Rate struct{ Number }

// Type returns the name of the type, which help shows.
func (r *Rate) Type() string { return "rate" }

// Set reads a rate.
func (r *Rate) Set(text string) error {
	return r.Number.Set(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "/s")))
}

// Sizes is a flag: a list of numbers of timers, such as 1000,1e6.
type Sizes []int

// Type returns the name of the type, which help shows.
func (s *Sizes) Type() string { return "numbers" }

func (s *Sizes) String() string {
	var list []string
	for _, n := range *s {
		list = append(list, strconv.Itoa(n))
	}
	return strings.Join(list, ",")
}

// Set adds the numbers of a list. A comma separates two of them, unless a number would begin
// with 0 then: 200,000 is one number, 100,250 are two.
func (s *Sizes) Set(text string) error {
	parts := strings.Split(text, ",")
	if grouped.MatchString(text) && strings.Contains(text, ",0") {
		parts = []string{text}
	}
	for _, part := range parts {
		n, err := ParseNumber(part, MaxSize)
		if err != nil {
			return err
		}
		*s = append(*s, int(n))
	}
	return nil
}

// Share is a flag: a part of the whole, as 5% or 0.05.
type Share struct {
	Value, Most float64 // Value below 0: not given
}

// Type returns the name of the type, which help shows.
func (s *Share) Type() string { return "share" }

func (s *Share) String() string {
	if s.Value < 0 {
		return ""
	}
	return strconv.FormatFloat(100*s.Value, 'g', -1, 64) + "%"
}

// Set reads a share.
func (s *Share) Set(text string) error {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		x /= 100
	}
	switch {
	case err == nil && x >= 0 && x <= s.Most:
		s.Value = x
		return nil
	case s.Most == 1:
		return fmt.Errorf("%q: want a share, from 0%% to 100%% or from 0 to 1", text)
	}
	return fmt.Errorf("%q: want a share of at least 0, such as 5%% or 0.05", text)
}
