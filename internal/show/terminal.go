package show

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// Width returns the number of columns for texts and tables: COLUMNS, or the width of the terminal, or 80.
func Width() int {
	const least, usual = 40, 80
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || n <= 0 {
		n, _, err = term.GetSize(int(os.Stdout.Fd()))
	}
	if err != nil || n <= 0 {
		return usual
	}
	return max(n, least)
}

var numberAndUnit = regexp.MustCompile(`([0-9]) (%|(?:[nµm]s|s|bytes|[kMG]?B)\b)`)

// joint stands for a space at which a line must not break.
const joint = "\uE000"

// bound joins each number of a text to its unit. unbound puts the spaces back.
func bound(s string) string   { return numberAndUnit.ReplaceAllString(s, "$1"+joint+"$2") }
func unbound(s string) string { return strings.ReplaceAll(s, joint, " ") }

// Wrapped breaks the lines of a text that are longer than Width. It does not separate a number from its unit, and breaks no word,
// such as an address.
func Wrapped(s string) string {
	width, out := Width(), []string(nil)
	for line := range strings.SplitSeq(bound(s), "\n") {
		out = append(out, strings.Join(Lines(line, func(line string) bool { return text.StringWidth(line) <= width }), "\n"))
	}
	return unbound(strings.Join(out, "\n"))
}

// Lines breaks a text between words into lines that fit, unless a word alone does not.
func Lines(s string, fit func(line string) bool) (lines []string) {
	for word := range strings.FieldsSeq(s) {
		if last := len(lines) - 1; last >= 0 && fit(lines[last]+" "+word) {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

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
	Err  error  // the first one of W
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
		s.Err = cmp.Or(s.Err, err)
		return 0, err
	}
	return len(p), nil
}
