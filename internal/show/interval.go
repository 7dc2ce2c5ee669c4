package show

import (
	"fmt"
	"math"
)

// widest is the ratio of the ends of an interval beyond which the interval says nothing (chosen).
const widest = 10

// Narrow reports whether an interval is known, and narrow enough to be shown: from more than 0 to at most 10 times as much.
func Narrow(lo, hi float64) bool { return lo > 0 && hi <= widest*lo }

// Interval writes the ends of an interval, or Unknown if the interval is not Narrow.
func Interval(lo, hi float64, write func(float64) string, between string) string {
	if !Narrow(lo, hi) {
		return Unknown
	}
	return write(lo) + between + write(hi)
}

// Spread writes how far an interval reaches from its center: 12 %. It writes Unknown if the interval is not Narrow.
func Spread(center, lo, hi float64) string {
	if !Narrow(lo, hi) {
		return Unknown
	}
	return fmt.Sprintf("%.0f %%", 100*math.Max(hi-center, center-lo)/center)
}
