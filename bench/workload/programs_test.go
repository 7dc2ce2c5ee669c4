package workload

import (
	"strings"
	"testing"
)

// A mistake in programs.toml gives an error that names the entry, the value and the expected one.
func TestMistakesInProgramsAreNamed(t *testing.T) {
	t.Parallel()
	const (
		head  = "[[workload]]\nname = 'mine'\ntick = '1ms'\n"
		rates = "model = 'flow'\n[[workload.parameters.class]]\nrate = 100\ndelay = {kind = 'constant', mean = '2s'}\n"
	)
	for text, want := range map[string]string{
		head:                                  `"mine": model "": want one of hold, `,
		head + "model = 'flo'":                `"mine": model "flo": want one of hold, `,
		head + "model = 'flow'\nparameters=1": `programs.toml: `,
		head + "model = 'hold'\nparameters={delays='x'}": `"mine": parameters: `,
		head + rates: `"mine": population is missing: want the number of pending timers that follows from the rates, about 200`,
	} {
		if _, err := readPrograms([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nerror %v, want %q", text, err, want)
		}
	}
	list, err := readPrograms([]byte(head + "population = 200\n" + rates))
	if err != nil || len(list) != 1 || list[0].Resident != 200 {
		t.Errorf("%+v, error %v", list, err)
	}
}
