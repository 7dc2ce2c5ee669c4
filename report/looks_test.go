package report

import (
	"image/color"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/internal/draw"
)

func TestLooks(t *testing.T) {
	t.Parallel()
	rows := []contender{
		{"foreign", results.RoleStructure, ""},
		{"strange-heap", results.RoleStructure, ""},
		{"quadheap-control", results.RoleControl, "quadheap"},
		{"null", results.RoleFloor, ""},
		{"time.AfterFunc", results.RoleBaseline, ""},
	}
	all := looks(inFamilies(twenty), rows)
	type pair struct {
		color  any
		marker draw.Marker
	}
	owner := make(map[pair]string)
	for name, l := range all {
		p := pair{l.Color, l.Marker}
		if other, taken := owner[p]; taken {
			t.Errorf("%s and %s look the same", name, other)
		}
		owner[p] = name
	}
	if c, q := all["quadheap-control"], all["quadheap"]; c.Color != q.Color || c.Marker != q.Marker.AsHollow() || len(c.Dashes) == 0 {
		t.Error("a control has the hue of its structure, hollow and dashed")
	}
	// Neither the results nor later entries of the catalog change a look.
	fewer := looks(inFamilies(twenty)[:7], nil)
	for _, name := range twenty[:7] {
		if fewer[name].Color != all[name].Color || fewer[name].Marker != all[name].Marker {
			t.Errorf("%s looks different in a longer catalog", name)
		}
	}
	if alone := looks(inFamilies(twenty), rows[:1]); alone["foreign"].Color != all["foreign"].Color {
		t.Error("an unknown structure looks different beside others")
	}
	blue := func(name string) bool {
		n := color.NRGBAModel.Convert(all[name].Color).(color.NRGBA)
		return n.B > n.R && n.B > n.G
	}
	for name, want := range map[string]bool{"minheap": true, "heap-std": true, "hwheel": false, "btree-google": false, "foreign": false} {
		if blue(name) != want {
			t.Errorf("%s is blue: %v, want %v, as heaps alone are", name, !want, want)
		}
	}
}
