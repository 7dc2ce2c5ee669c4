package workload

import (
	"testing"

	"github.com/timerbench/timerbench/bench/script"
)

// As in the recording of Caddy, a quarter of the deadlines that are set are moved.
func TestDeadlinesOfAnHTTPServerAreCleared(t *testing.T) {
	t.Parallel()
	const n = 10_000
	s, fill := scriptOf(t, "http-server", n)
	b := s.Next(400_000, nil)
	within(t, "residents", b.Resident, n, 0.001)
	set, moved := float64(b.Want.Scheduled-fill.Want.Scheduled), float64(b.Count(script.KindReschedule))
	within(t, "share moved", moved/(moved+set), 0.25*0.999, 0.02)
	changes := moved + set + float64(b.Count(script.KindCancel))
	within(t, "changes of a timer a second", changes/n/(float64(b.Ticks)/1000), 1.75/5, 0.02)
}

// golang/go#15133: the deadlines of connections are moved, all but those of the
// last message, and hardly any passes.
func TestConnectionDeadlinesAreMovedAndDoNotPass(t *testing.T) {
	t.Parallel()
	const n = 10_000
	for name, tolerance := range map[string]float64{"conn-deadline": 0, "conn-deadline-lazy": 0.02} {
		s, fill := scriptOf(t, name, n)
		b := s.Next(400_000, nil)
		within(t, name+": residents", b.Resident, n, 0.001)
		set := float64(b.Want.Scheduled - fill.Want.Scheduled)
		moved, passed := float64(b.Count(script.KindReschedule)), float64(len(b.Fires))
		if tolerance == 0 {
			// 999 of the 1000 messages of a connection push its deadlines on.
			within(t, name+": share moved", moved/(moved+set), 0.999, 1e-4)
		} else {
			// One message in 1 + 15 s / 5 s and one in 1 + 18.75 s / 5 s does so.
			messages := float64(b.Ticks) / 5000 * n / 2
			within(t, name+": moves a message", moved/messages, 1/4.0+1/4.75, tolerance)
		}
		if share := passed / (moved + set); share > 1e-4 {
			t.Errorf("%s: %.6f of the deadlines pass, want hardly any", name, share)
		}
	}
}
