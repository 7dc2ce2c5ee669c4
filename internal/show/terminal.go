package show

import (
	"os"
	"regexp"
	"strconv"
	"strings"

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
