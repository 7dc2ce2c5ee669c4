package section

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestID is the length in bytes up to which an ID follows its title: with a
// suffix it must remain a valid file name.
const longestID = 100

// IDs returns a function that makes an ID from a title, each ID once: for anchors,
// as GitHub makes those of headings, and for the names of files. An ID holds only
// lower-case letters, digits and single dashes, whatever the title holds.
func IDs() func(title string) string {
	taken := make(map[string]bool)
	return func(title string) string {
		base := strings.Join(strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
			return r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}), "-")
		base = cut(base, longestID)
		id := base
		for n := 2; taken[id]; n++ {
			id = fmt.Sprintf("%s-%d", base, n)
		}
		taken[id] = true
		return id
	}
}

// cut shortens s to at most so many bytes, between two letters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}
