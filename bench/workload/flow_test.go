package workload

import (
	"math"
	"testing"
)

func TestFiguresAreMeasured(t *testing.T) {
	t.Parallel()
	hold, _ := Find("hold")
	churn, _ := Find("churn")
	kafka, _ := Find("kafka-purgatory")
	f := MeasureFigures([]Workload{hold, churn, kafka}, 500, 1000)
	near := func(got, want float64) bool { return math.Abs(got/want-1) < 0.02 }
	if f[0].N != 500 || !near(f[0].Resident, 500) || f[0].CancelShare != 0 || !near(f[0].Rate, 2*500/30.0) {
		t.Errorf("hold: %+v, want 500 timers of 30 s, each scheduled and fired", f[0])
	}
	// Each timer is replaced four times a minute. With delays of 30 s to 90 s, (e^-2 - e^-6) / 4 = 3.3 % live until they fire.
	if f[1].MoveShare != 0 || !near(f[1].CancelShare, 0.967) || !near(f[1].Rate, 4*500/60.0*(1+1/0.967)) {
		t.Errorf("churn: %+v, want 96.7 %% cancelled, four times a minute each", f[1])
	}
	if f[2].N != 335 || !near(f[2].Resident, 335) || !near(f[2].CancelShare, 0.882) || !near(f[2].Rate, 20_000) {
		t.Errorf("kafka-purgatory: %+v, want 335 pending, 88.2 %% cancelled, 10,000 a second scheduled and done with", f[2])
	}
	if f := MeasureFigures([]Workload{kafka}, 500, 100)[0]; f.N != 100 || math.Abs(f.Resident/100-1) > 0.05 {
		t.Errorf("kafka-purgatory with at most 100: %+v", f)
	}
}
