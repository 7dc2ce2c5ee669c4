package script

import (
	"context"
	"errors"
	"testing"
)

// endlessProcess schedules timers until it is interrupted.
type endlessProcess struct{}

func (endlessProcess) Fill(w *Writer, _ *Rand) {
	for {
		w.Schedule(1)
	}
}

func (e endlessProcess) Step(w *Writer, r *Rand) { e.Fill(w, r) }

func TestAScriptIsInterruptedWhileItIsWritten(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if b, err := New(endlessProcess{}, nil).FillContext(ctx); b != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Fill: block %v, error %v", b, err)
	}
	if b, err := New(endlessProcess{}, nil).NextContext(ctx, 10, nil); b != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Next: block %v, error %v", b, err)
	}
}

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
