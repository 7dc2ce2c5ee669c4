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

// valueTo returns the function of a flag that keeps what read reads.
func valueTo[T any](to *T, read func(string) (T, error)) func(string) error {
	return func(text string) (err error) {
		*to, err = read(text)
		return err
	}
}

// readNumber reads a whole number from 1 to most: 200000, 200,000, 200k, 2e5.
func readNumber(most float64) func(string) (float64, error) {
	return func(text string) (float64, error) {
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
}

// readRate reads a number per second, minute or hour, and returns it per second: 50000/s, 50k, 3e6/m, 1e8/h.
func readRate(text string) (float64, error) {
	const most = 1e12 // no program starts more timers
	number, unit, ok := strings.Cut(text, "/")
	if !ok {
		unit = "s"
	}
	rate, err := readNumber(most)(strings.TrimSpace(number))
	seconds := map[string]float64{"s": 1, "m": 60, "h": 3600}[strings.TrimSpace(unit)]
	if err != nil || seconds == 0 {
		return 0, fmt.Errorf("%q: want a whole number per second, minute or hour, such as 50000/s, 50k, 3e6/m or 1e8/h", text)
	}
	return rate / seconds, nil
}

// readShare reads a part of the whole, or several times as much if most is above 1: 5%, 0.05.
func readShare(most float64) func(string) (float64, error) {
	return func(text string) (float64, error) {
		number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if percent {
			x /= 100
		}
		switch {
		case err == nil && x >= 0 && x <= most:
			return x, nil
		case most == 1:
			return 0, fmt.Errorf("%q: want a share, from 0%% to 100%% or from 0 to 1", text)
		}
		return 0, fmt.Errorf("%q: want a share of at least 0, such as 5%% or 0.05", text)
	}
}

// sizes is a flag: a list of numbers of timers, such as 1000,1e6.
type sizes []int

// Type returns the name of the type, which help shows.
func (s *sizes) Type() string { return "numbers" }

func (s *sizes) String() string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(*s), "[]"), " ", ",")
}

// Set adds the numbers of a list. A comma separates two of them, unless a number would begin
// with 0 then: 200,000 is one number, 100,250 are two.
func (s *sizes) Set(text string) error {
	parts := strings.Split(text, ",")
	if grouped.MatchString(text) && strings.Contains(text, ",0") {
		parts = []string{text}
	}
	for _, part := range parts {
		n, err := readNumber(maxSize)(part)
		if err != nil {
			return err
		}
		*s = append(*s, int(n))
	}
	return nil
}
