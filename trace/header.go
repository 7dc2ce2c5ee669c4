package trace

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Header says what a trace is a recording of.
type Header struct {
	// Name is a short name of at most 100 letters, digits, dots, dashes and
	// underscores. The first is a letter or a digit, since the name becomes part of
	// the names of files and benchmarks.
	Name        string
	Description string        // which program, under which load; one line of at most 32 KiB
	Tick        time.Duration // length of a tick
	Started     time.Time     // when the recording began, to the second; zero if not known
	Sites       bool          // schedules say where the program asked for them
}

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// maxName and maxDescription bound the texts of a header (chosen).
const (
	maxName        = 100
	maxDescription = 32 << 10
)

func (h Header) validate() error {
	switch {
	case len(h.Name) > maxName || !validName.MatchString(h.Name):
		return fmt.Errorf("name %.*q: want 1 to %d letters, digits, dots, dashes and underscores, of which the first is a letter or a digit", maxName, h.Name, maxName)
	case len(h.Description) > maxDescription:
		return fmt.Errorf("a description of %d bytes: want at most %d", len(h.Description), maxDescription)
	case !utf8.ValidString(h.Description) || strings.ContainsFunc(h.Description, unicode.IsControl):
		return fmt.Errorf("description %.50q: want a line of UTF-8 without control characters", h.Description)
	case h.Tick <= 0:
		return fmt.Errorf("a tick of %d ns: want more than 0", h.Tick)
	}
	return nil
}
