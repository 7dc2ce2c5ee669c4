// Package importer makes traces of what other programs say of their timers: a Linux kernel in
// its tracepoints, nginx in its log.
package importer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// readLines calls line with each line of a text, and then end. Errors call the text name.
func readLines(in io.Reader, name string, line func(string) error, end func() error) error {
	lines := bufio.NewReader(in)
	for n := 1; ; n++ {
		text, err := lines.ReadString('\n')
		if text != "" {
			wrong := line(strings.TrimRight(text, "\r\n"))
			if wrong == nil && errors.Is(err, io.EOF) {
				wrong = errors.New("cut short: want a whole line")
			}
			if wrong != nil {
				return fmt.Errorf("%s:%d: %w", name, n, wrong)
			}
		}
		if errors.Is(err, io.EOF) {
			err = end()
			if err == nil {
				return nil
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}
