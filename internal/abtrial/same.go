package main

import (
	"context"
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/compare"
	"github.com/timerbench/timerbench/bench/results"
)

// compareTheSame compares two runs of the old program, one after the other.
func (t *trial) compareTheSame(ctx context.Context, times int) error {
	fmt.Fprintf(t.out, "\n## Two runs of one program\n\nOne after the other, 6 rounds, default flags of compare. The shift is the median of all ratios.\n\n| %s called |\n|---|---|---|---|---|---|---|---|---|\n", sessionColumns)
	return t.wantNothing(times, "comparisons", func(i int) (*compare.Comparison, error) {
		t.say("comparison %d of %d", i, times)
		var runs [2]*results.Run
		for k := range runs {
			var err error
			if runs[k], err = t.runOnce(ctx, fmt.Sprintf("same-%02d-%d", i-1, k), append(cells(1), "--trials", "6")); err != nil {
				return nil, err
			}
		}
		return compare.Runs(runs[0], runs[1], compare.Options{Alpha: 0.05, MinEffect: 0.05})
	})
}

// wantNothing makes comparisons of a program with itself and prints a row for each. It returns an
// error if a difference is called in more than one of twenty. They are numbered from 1.
func (t *trial) wantNothing(times int, what string, one func(i int) (*compare.Comparison, error)) error {
	clean := 0
	for i := range times {
		started := time.Now()
		c, err := one(i + 1)
		if err != nil {
			return err
		}
		slowdown, others := called(c)
		others = append(slowdown, others...)
		if len(others) == 0 {
			clean++
		}
		fmt.Fprintf(t.out, "| %d | %.0f | %s | %s |\n", i+1, time.Since(started).Seconds(), summary(c), listOf(others))
	}
	fmt.Fprintf(t.out, "\nNo difference called in %d of %d %s.\n", clean, times, what)
	if clean < times*19/20 {
		return fmt.Errorf("%d of %d %s of a program with itself called no difference, want at least 19 of 20", clean, times, what)
	}
	return nil
}
