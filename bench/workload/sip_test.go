package workload

import (
	"fmt"
	"testing"
	"time"

	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
)

// fires counts how often each timer of a timeline fires. A deadline counts unless a
// later action on the same timer comes before it.
func (t timeline) fires() (counts [sipTimers]int) {
	for i, a := range t {
		if a.deadline == 0 {
			continue
		}
		fires := true
		for j, b := range t {
			if b.timer == a.timer && j > i && b.at < a.deadline {
				fires = false
			}
		}
		if fires {
			counts[a.timer]++
		}
	}
	return counts
}

// RFC 3261, sections 17.1.1.2, 17.1.2.2 and 17.2.1: what is sent again, and how
// often, before an answer comes after that many milliseconds.
func TestSIPRetransmitsAsOftenAsTheRFCSays(t *testing.T) {
	t.Parallel()
	w, _ := Find("sip")
	p := w.Model.New(1000, time.Millisecond).(*sip)
	const ring, never = 10_000, structures.Tick(maxDelay)
	for _, c := range []struct {
		answer structures.Tick
		a, eg  int // retransmissions, E and G alike
	}{
		{100, 0, 0},
		{499, 0, 0},
		{501, 1, 1},
		{1_499, 1, 1},
		{1_501, 2, 2},
		{3_501, 3, 3},
		{7_501, 4, 4},
		{11_499, 4, 4},
		{11_501, 4, 5}, // E and G every 4 s from here on, A after 8 s
		{15_501, 5, 6},
		{31_499, 5, 9},
		{31_501, 6, 10},
		{never, 6, 10},
	} {
		answered := 1
		if c.answer == never {
			answered = 0
		}
		for name, got := range map[string]struct{ fires, want [sipTimers]int }{
			"INVITE client, accepted": {p.inviteClient(c.answer, ring, false).fires(),
				[sipTimers]int{sipAgain: c.a, sipEnd: 1 - answered}},
			"INVITE client, refused": {p.inviteClient(c.answer, ring, true).fires(),
				[sipTimers]int{sipAgain: c.a, sipEnd: 1 - answered, sipAfter: answered}},
			"INVITE server, refusing, and client": {p.exchange(c.answer).fires(),
				[sipTimers]int{sipAgain: c.eg, sipEnd: 1 - answered, sipAfter: answered}},
		} {
			fail.UnlessSame(t, fmt.Sprintf("%s, answered after %d ms", name, c.answer), got.fires, got.want)
		}
	}
}
