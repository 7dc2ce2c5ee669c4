package thw

import "testing"

func TestCheckFindsDamage(t *testing.T) {
	for name, damage := range map[string]func(*Wheel[int]){
		"a timer is missing":  func(w *Wheel[int]) { delete(w.timers, 5) },
		"one on the wheel":    func(w *Wheel[int]) { w.add(9, 5) },
		"place":               func(w *Wheel[int]) { w.due[1], w.due[2] = w.due[2], w.due[1] },
		"served":              func(w *Wheel[int]) { w.served = 2 },
		"due after the clock": func(w *Wheel[int]) { w.clock = 1 },
		"due no more":         func(w *Wheel[int]) { w.due = w.due[:2] },
	} {
		w := New[int]()
		for i := range 4 {
			w.Schedule(10, i)
		}
		w.Schedule(100, 4)
		w.Pop(20)
		if err := w.CheckInvariants(); err != nil {
			t.Fatal(err)
		}
		if damage(w); w.CheckInvariants() == nil {
			t.Errorf("%s: broken, and not found", name)
		}
	}
}
