package draw

import (
	"fmt"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

func TestLooks(t *testing.T) {
	t.Parallel()
	var entries []entry.Entry
	for _, family := range []entry.Family{entry.Heaps, entry.Wheels, entry.Trees, entry.Lists} {
		for n := range 6 {
			entries = append(entries, entry.Entry{Name: fmt.Sprint(family, n), Family: family})
		}
	}
	rows := []answer.RowName{
		{Name: "foreign", Role: results.RoleStructure},
		{Name: "strange-heap", Role: results.RoleStructure},
		{Name: "heaps1-control", Role: results.RoleControl, Of: "heaps1"},
		{Name: "null", Role: results.RoleFloor},
	}
	all := Styles(entries, rows)
	all["Go's own timers"] = BaselineStyle
	type pair struct {
		color  any
		marker Marker
	}
	owner := make(map[pair]string)
	for name, l := range all {
		p := pair{l.Color, l.Marker}
		if other, taken := owner[p]; taken {
			t.Errorf("%s and %s look the same", name, other)
		}
		owner[p] = name
	}
	if c, q := all["heaps1-control"], all["heaps1"]; c.Color != q.Color || c.Marker != q.Marker.AsHollow() || len(c.Dashes) == 0 {
		t.Error("a control has the hue of its structure, hollow and dashed")
	}
	// Neither the results nor later entries of the catalog change a style.
	for name, style := range Styles(entries[:7], nil) {
		if style.Color != all[name].Color || style.Marker != all[name].Marker {
			t.Errorf("%s looks different in a longer catalog", name)
		}
	}
	if alone := Styles(entries, rows[:1]); alone["foreign"].Color != all["foreign"].Color {
		t.Error("an unknown structure looks different beside others")
	}
}

// No two structures of the catalog that share a hue share a marker, and hues are few enough to
// be told apart by everybody.
func TestMembersOfAFamilyHaveMarkersOfTheirOwn(t *testing.T) {
	t.Parallel()
	owner := make(map[any]string)
	for name, l := range Styles(catalog.All(), nil) {
		key := [2]any{l.Family, l.Marker}
		if other := owner[key]; other != "" {
			t.Errorf("%s and %s are of one family and have one marker", name, other)
		}
		owner[key] = name
	}
}
