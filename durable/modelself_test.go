package durable

import (
	"errors"
	"testing"
	"time"
)

// The model notices each kind of fault in a history that is written by hand.
func TestModel(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	set := func(deadline, returned int) change {
		return change{what: "schedule", deadline: at(deadline), returned: at(returned), ok: true}
	}
	move := func(deadline, returned int, ok bool) change {
		return change{what: "reschedule", deadline: at(deadline), returned: at(returned), ok: ok}
	}
	cancel := func(returned int, ok bool) change { return change{what: "cancel", returned: at(returned), ok: ok} }
	unknown := func(c change) change {
		c.ok, c.err = false, errors.New("timeout")
		return c
	}
	for _, test := range []struct {
		name        string
		changes     []change
		fires       [][2]int // deadline and when it was handled
		lost, wrong int
	}{
		{"on time", []change{set(10, 1)}, [][2]int{{10, 10}}, 0, 0},
		{"lost", []change{set(10, 1)}, nil, 1, 0},
		{"early", []change{set(10, 1)}, [][2]int{{10, 9}}, 0, 1},
		{"never set", []change{set(10, 1)}, [][2]int{{10, 10}, {11, 11}}, 0, 1},
		{"twice", []change{set(10, 1)}, [][2]int{{10, 10}, {10, 12}}, 0, 0},
		{"cancelled", []change{set(10, 1), cancel(2, true)}, nil, 0, 0},
		{"fires after Cancel", []change{set(10, 1), cancel(2, true)}, [][2]int{{10, 10}}, 0, 1},
		{"fires after a late Cancel", []change{set(10, 1), cancel(12, true)}, [][2]int{{10, 13}}, 0, 1},
		{"Cancel is too late", []change{set(10, 1), cancel(12, false)}, [][2]int{{10, 13}}, 0, 0},
		{"Cancel says false too early", []change{set(10, 1), cancel(2, false)}, [][2]int{{10, 10}}, 0, 1},
		{"lost after Cancel said false", []change{set(10, 1), cancel(12, false)}, nil, 0, 1},
		{"moved", []change{set(10, 1), move(20, 2, true)}, [][2]int{{20, 20}}, 0, 0},
		{"moved and fires at both", []change{set(10, 1), move(20, 2, true)}, [][2]int{{10, 10}, {20, 20}}, 0, 1},
		{"moved and fires at the old one", []change{set(10, 1), move(20, 2, true)}, [][2]int{{10, 10}}, 0, 1},
		{"moved and lost", []change{set(10, 1), move(20, 2, true)}, nil, 1, 0},
		{"not moved and fires at the new one", []change{set(10, 1), move(20, 12, false)}, [][2]int{{10, 10}, {20, 20}}, 0, 1},
		{"replaced", []change{set(10, 1), set(20, 2)}, [][2]int{{20, 20}}, 0, 0},
		{"replaced in time and fires at both", []change{set(10, 1), set(20, 2)}, [][2]int{{10, 10}, {20, 20}}, 0, 1},
		{"replaced after it fired", []change{set(10, 1), set(20, 12)}, [][2]int{{10, 13}, {20, 20}}, 0, 0},
		{"set, unknown, fires", []change{unknown(set(10, 1))}, [][2]int{{10, 10}}, 0, 0},
		{"set, unknown, does not", []change{unknown(set(10, 1))}, nil, 0, 0},
		{"set again after unknown", []change{unknown(set(10, 1)), set(10, 2)}, [][2]int{{10, 10}}, 0, 0},
		{"set again after unknown, lost", []change{unknown(set(10, 1)), set(10, 2)}, nil, 1, 0},
		{"Cancel, unknown, fires", []change{set(10, 1), unknown(cancel(2, false))}, [][2]int{{10, 10}}, 0, 0},
		{"Cancel, unknown, does not", []change{set(10, 1), unknown(cancel(2, false))}, nil, 0, 0},
		{"move, unknown, both", []change{set(10, 1), unknown(move(20, 2, false))}, [][2]int{{10, 10}, {20, 20}}, 0, 1},
		{"move, unknown, the old one", []change{set(10, 1), unknown(move(20, 2, false))}, [][2]int{{10, 10}}, 0, 0},
		{"move, unknown, the new one", []change{set(10, 1), unknown(move(20, 2, false))}, [][2]int{{20, 20}}, 0, 0},
		{"move, unknown, neither", []change{set(10, 1), unknown(move(20, 2, false))}, nil, 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHistory()
			h.changes["key"] = test.changes
			for _, f := range test.fires {
				h.handle(handledLine{ID: change{deadline: at(f[0])}.id("key"), Key: "key", At: at(f[1])})
			}
			if v := h.judge(0); len(v.lost) != test.lost || len(v.wrong) != test.wrong {
				t.Errorf("%v: want %d lost, %d wrong", v, test.lost, test.wrong)
			}
		})
	}
}
