package workload

import (
	"testing"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// fires counts how often each timer of a timeline fires. A deadline counts unless a
// later action on the same timer comes before it.
func (t timeline) fires() map[byte]int {
	counts := map[byte]int{}
	for i, a := range t {
		if a.deadline == 0 {
			continue
		}
		fires := true
		for j, b := range t {
			if timerIndex(b.timer) == timerIndex(a.timer) && j > i && b.at < a.deadline {
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
		for name, got := range map[string]struct {
			fires map[byte]int
			want  map[byte]int
		}{
			"INVITE client, accepted": {p.inviteClient(c.answer, ring, false).fires(),
				map[byte]int{'A': c.a, 'B': 1 - answered, 'C': 0, 'D': 0}},
			"INVITE client, refused": {p.inviteClient(c.answer, ring, true).fires(),
				map[byte]int{'A': c.a, 'B': 1 - answered, 'C': 0, 'D': answered}},
			"INVITE server, refusing": {p.exchange('G', 'H', 'I', c.answer).fires(),
				map[byte]int{'G': c.eg, 'H': 1 - answered, 'I': answered}},
			"client": {p.exchange('E', 'F', 'K', c.answer).fires(),
				map[byte]int{'E': c.eg, 'F': 1 - answered, 'K': answered}},
		} {
			for timer := byte('A'); timer <= 'K'; timer++ {
				if got.fires[timer] != got.want[timer] {
					t.Errorf("%s, answered after %d ms: %c fires %d times, want %d",
						name, c.answer, timer, got.fires[timer], got.want[timer])
				}
			}
		}
	}
}
