package show

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Safe returns a text in one line that no terminal takes for a command. Control characters, line breaks, characters that
// change the direction of the text, and bytes that are no UTF-8 become escapes such as \u001b, as in JSON.
func Safe(s string) string { return escape(s, "") }

// escape is Safe, but keeps the characters in keep.
func escape(s, keep string) string {
	var out strings.Builder
	for i, r := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, s[i])
		case unicode.IsGraphic(r) || strings.ContainsRune(keep, r):
			out.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&out, `\u%04x`, unit)
			}
		}
	}
	return out.String()
}

// SafeWriter writes what Safe returns to W, but keeps line breaks and tabs. All output of a command goes through one,
// because any of it may hold names and messages from files and programs of others.
type SafeWriter struct {
	W    io.Writer
	left []byte // the beginning of a character whose end was not written yet
}

// Write writes the whole characters of p. It returns len(p) unless W fails.
func (s *SafeWriter) Write(p []byte) (int, error) {
	b := append(s.left, p...)
	end := len(b)
	for i := end - 1; i >= max(0, end-utf8.UTFMax); i-- {
		if utf8.RuneStart(b[i]) && !utf8.FullRune(b[i:]) {
			end = i
		}
	}
	s.left = slices.Clone(b[end:])
	if _, err := io.WriteString(s.W, escape(string(b[:end]), "\n\t")); err != nil {
		return 0, err
	}
	return len(p), nil
}
