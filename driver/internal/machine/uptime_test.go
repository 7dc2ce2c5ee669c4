package machine

import (
	"testing"
	"time"
)

// The clock goes as fast as that of package time while nothing is suspended.
func TestUptime(t *testing.T) {
	uptime, err := Uptime()
	if err != nil {
		t.Skip(err)
	}
	const wait = 5 * time.Millisecond
	begin, from := time.Now(), uptime()
	inner := time.Now()
	for time.Since(inner) < wait {
	}
	least := time.Since(inner)
	passed := time.Duration(uptime() - from)
	if most := time.Since(begin); passed < least-50*time.Microsecond || passed > most+50*time.Microsecond {
		t.Errorf("%v have passed, want %v to %v", passed, least, most)
	}
}
