package show

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"hold", "hold-biased", "kafka-purgatory", "conn-deadline", "conn-deadline-lazy", "mean", "median", "ffsqueue", "run", "wheel", "hwheel"}
	for name, want := range map[string]string{
		"hweel": "hwheel", "hlod": "hold", "hold-based": "hold-biased", "kafka": "kafka-purgatory", "kafak": "kafka-purgatory",
		"conn": "conn-deadline", "conn-deadlin": "conn-deadline", "maen": "mean", "zzz": "", "": "",
		"nosuch": "", "test": "", "rnu": "run", "r": "", "ffsqeueu": "ffsqueue", "medina": "median",
	} {
		if want != "" {
			want = ` (did you mean "` + want + `"?)`
		}
		if got := Nearest(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
