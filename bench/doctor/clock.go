package doctor

import (
	"errors"
	"fmt"

	"github.com/timerbench/timerbench/bench/results"
)

// clockSource says what the kernel reads as its clock.
func (s System) clockSource() results.Finding {
	const check, folder = "clock source", "sys/devices/system/clocksource/clocksource0/"
	source, err := s.read(folder + "current_clocksource")
	switch {
	case err != nil:
		return unavailable(check, err)
	case source == "tsc" || source == "arch_sys_counter" || source == "kvm-clock":
		return ok(check, "%s", source)
	}
	advice := "reading it is a system call: choose another one in /" + folder + "current_clocksource"
	if all, err := s.read(folder + "available_clocksource"); err == nil {
		advice += " (there are: " + all + ")"
	}
	return warn(check, source, advice)
}

// clockCost says what reading the clock costs.
func (s System) clockCost() results.Finding {
	const check = "cost of the clock"
	const most = 150 // ns, chosen: far above any clock that is read without a system call
	value := fmt.Sprintf("%.0f ns a reading, in steps of %.0f ns", s.ReadNS, s.StepNS)
	switch {
	case s.ReadNS <= 0:
		return unavailable(check, errors.New("it was not measured"))
	case s.ReadNS > most:
		return warn(check, value, "times of single calls hold one reading each: trust the costs of whole blocks, and see the clock source")
	}
	return ok(check, "%s", value)
}
