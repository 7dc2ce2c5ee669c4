//go:build race

package schedtest

const raceEnabled = true
