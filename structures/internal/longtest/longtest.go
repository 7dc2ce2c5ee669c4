// Package longtest says how much a test is to do.
package longtest

import (
	"os"
	"testing"
)

// Env is the environment variable that asks for the long form of all tests, by
// the value 1.
const Env = "TIMERBENCH_LONG"

// Scale returns one of three amounts: short under -short, long if Env is 1, and
// normal otherwise. It ends the test if Env has any other value.
func Scale(t testing.TB, short, normal, long int) int {
	t.Helper()
	switch value := os.Getenv(Env); {
	case value != "" && value != "0" && value != "1":
		t.Fatalf("longtest: %s=%q: want 0 or 1", Env, value)
	case testing.Short():
		return short
	case value == "1":
		return long
	}
	return normal
}
