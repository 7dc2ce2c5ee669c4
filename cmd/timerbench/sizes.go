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
		return 0, fmt.Errorf("%q: want a whole number from 1 to 1e%.0f, such as 200000, 200,000, 200k or 2e5", text, math.Log10(most))
	}
	return v, nil
}

// sizes is a list of numbers of timers as a flag: "1000,1e6".
type sizes []int

func (s *sizes) String() string {
	var parts []string
	for _, n := range *s {
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, ",")
}

func (s *sizes) Type() string { return "numbers" }

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
