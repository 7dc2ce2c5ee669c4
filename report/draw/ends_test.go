package draw

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

func TestNamesAtTheEndsOfLinesKeepApart(t *testing.T) {
	for _, test := range []struct{ at, want []Length }{
		{[]Length{50, 20}, []Length{50, 20}},
		{[]Length{30, 30, 60}, []Length{25, 35, 60}},
		{[]Length{30, 38, 33}, []Length{23.666667, 43.666667, 33.666667}},
		{[]Length{0, 1}, []Length{5, 15}}, // not below the panel
	} {
		points := make([]vg.Point, len(test.at))
		for i, y := range test.at {
			points[i].Y = y
		}
		got := apart(points, 5, 10)
		if !slices.EqualFunc(got, test.want, func(a, b Length) bool { return a-b < 1e-4 && b-a < 1e-4 }) {
			t.Errorf("%v: %v, want %v", test.at, got, test.want)
		}
	}
}
