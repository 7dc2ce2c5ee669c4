package rules

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

func TestFirstBrokenReturnsWhatEndsTheCheck(t *testing.T) {
	none := []int{}
	for want, check := range map[string]func(){
		"":                        func() { Must(true, "clock %d", 1) },
		"part: clock -7 of wheel": func() { Must(false, "clock %d of %s", structures.Tick(-7), "wheel") },
		"part: bit 0x10":          func() { Must(false, "bit %#x", uint8(16)); panic("it goes on") },
		"part: runtime error: index out of range [3] with length 0": func() { none[3]++ },
	} {
		if err := FirstBroken("part", check); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := FirstBroken(new(Room), func() { Must(false, "no") }); err == nil || !strings.HasPrefix(err.Error(), "rules.Room: ") {
		t.Errorf("%v, want the type of the part before the message", err)
	}
	n := uint32(1 << 20)
	if allocations := testing.AllocsPerRun(10, func() { Must(n > 0, "%d and %d", n, structures.Tick(n)) }); allocations > 0 {
		t.Errorf("a check that finds nothing allocates %v times", allocations)
	}
	defer func() {
		if recover() != "other" {
			t.Error("a panic of something else is no broken invariant")
		}
	}()
	_ = FirstBroken("part", func() { panic("other") })
}
