package show

import (
	"os"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// Width returns the number of columns for texts and tables: what COLUMNS says, or those of the
// terminal, or 80.
func Width() int {
	const least, usual = 40, 80
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, least)
	}
	if n, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && n > 0 {
		return max(n, least)
	}
	return usual
}

// Wrapped breaks the lines of a text that are longer than Width.
func Wrapped(s string) string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		for part := range strings.SplitSeq(text.WrapSoft(line, Width()), "\n") {
			out = append(out, strings.TrimRight(part, " "))
		}
	}
	return strings.Join(out, "\n")
}
