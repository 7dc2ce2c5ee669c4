package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// maxSize bounds numbers of timers: beyond it a run would not fit into memory.
const maxSize = 100_000_000

// grouped is a number whose digits stand in groups of three.
var grouped = regexp.MustCompile(`^\d{1,3}(,\d{3})+$`)

// parseNumber reads a whole number from 1 to most: 200000, 200,000, 200k, 2e5.
func parseNumber(text string, most float64) (float64, error) {
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

// number is a flag: a whole number from 1 to most, such as 10e6.
type number struct {
	value, most float64 // value 0: not given
}

func (n *number) Type() string { return "number" }

func (n *number) String() string {
	if n.value == 0 {
		return ""
	}
	return strconv.FormatFloat(n.value, 'f', -1, 64)
}

func (n *number) Set(text string) (err error) {
	n.value, err = parseNumber(text, n.most)
	return err
}

// sizes is a flag: a list of numbers of timers, such as 1000,1e6.
type sizes []int

func (s *sizes) Type() string { return "numbers" }

func (s *sizes) String() string { return strings.Join(names(*s, strconv.Itoa), ",") }

// Set adds the numbers of a list. A comma separates two of them, unless a number would begin
// with 0 then: 200,000 is one number, 100,250 are two.
func (s *sizes) Set(text string) error {
	parts := strings.Split(text, ",")
	if grouped.MatchString(text) && strings.Contains(text, ",0") {
		parts = []string{text}
	}
	for _, part := range parts {
		n, err := parseNumber(part, maxSize)
		if err != nil {
			return err
		}
		*s = append(*s, int(n))
	}
	return nil
}

// share is a flag: a part of the whole, as 5% or 0.05.
type share struct {
	value, most float64 // value below 0: not given
}

func (s *share) Type() string { return "share" }

func (s *share) String() string {
	if s.value < 0 {
		return ""
	}
	return strconv.FormatFloat(100*s.value, 'g', -1, 64) + "%"
}

func (s *share) Set(text string) error {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		x /= 100
	}
	switch {
	case err == nil && x >= 0 && x <= s.most:
		s.value = x
		return nil
	case s.most == 1:
		return fmt.Errorf("%q: want a share, from 0%% to 100%% or from 0 to 1", text)
	}
	return fmt.Errorf("%q: want a share of at least 0, such as 5%% or 0.05", text)
}
