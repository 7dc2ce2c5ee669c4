package main

import (
	"slices"
	"strings"
	"testing"
)

func TestNumbersOfTimers(t *testing.T) {
	for text, want := range map[string][]int{
		"200000": {200_000}, "200k": {200_000}, "200K": {200_000}, "0.2M": {200_000}, "2e5": {200_000}, "200,000": {200_000},
		"1m": {1_000_000}, "1M": {1_000_000}, "1,000,000": {1_000_000}, "12,345,000": {12_345_000}, "1e8": {100_000_000},
		"50,200": {50, 200}, "1000,1e6": {1000, 1_000_000}, "10,100,1000": {10, 100, 1000}, "1k,1M": {1000, 1_000_000}, " 7 , 8 ": {7, 8},
	} {
		var got sizes
		if err := got.Set(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.5", "1e30", "1.1e8", "k", "200 k m", "1e3,", "NaN", "Inf", "1000,000", "1G"} {
		var got sizes
		if err := got.Set(text); err == nil || !strings.Contains(err.Error(), "want a whole number from 1 to 1e8") {
			t.Errorf("%q: %v, %v, want an error", text, got, err)
		}
	}
}

func TestRates(t *testing.T) {
	for text, want := range map[string]float64{"50000/s": 50_000, "50k/s": 50_000, " 5e4 /s ": 50_000, "50,000": 50_000, "3m/m": 50_000, "36/h": 0.01} {
		if got, err := readRate(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "/s", "0/s", "5/min", "5/", "5/s/s", "-1/s", "1e13/s"} {
		if _, err := readRate(text); err == nil {
			t.Errorf("%q is read as a rate", text)
		}
	}
}
