package script

import "testing"

func TestWriterRefusesScriptsThatMakeNoSense(t *testing.T) {
	for name, misuse := range map[string]func(w *Writer){
		"schedule in the past":   func(w *Writer) { w.Schedule(10) },
		"reschedule in the past": func(w *Writer) { w.Reschedule(w.Schedule(20), 3) },
		"go back":                func(w *Writer) { w.Advance(9) },
		"pass a deadline":        func(w *Writer) { w.Schedule(15); w.Advance(16) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			w := &Writer{}
			w.begin(nil)
			w.Advance(10)
			misuse(w)
		}()
	}
}
