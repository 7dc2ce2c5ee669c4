package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxSize bounds --n: beyond it a run would not fit into memory.
const maxSize = 100_000_000

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

func (s *sizes) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || n != math.Trunc(n) || n < 1 || n > maxSize {
			return fmt.Errorf("%q: want whole numbers from 1 to 1e8", part)
		}
		*s = append(*s, int(n))
	}
	return nil
}
