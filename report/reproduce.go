package report

import "strings"

// reproduce says how to make the results again.
func reproduce(v *view) section {
	s := section{title: "How can I make these figures again?"}
	command := v.r.Command
	if command == "" {
		return s
	}
	revision, changed := strings.CutSuffix(v.r.Environment.Revision, "+dirty")
	s.lead = "In a folder with the sources of timerbench, on a machine like the one below. The same seed makes the same operations on any machine; times and ratios differ."
	var lines []string
	if revision != "" {
		lines = append(lines, "git checkout "+revision)
		if changed {
			s.lead += " Files had been changed since that commit."
		}
	}
	lines = append(lines, "make build", "bin/"+command, "bin/timerbench report")
	s.tables = []table{{body: fenced("sh", strings.Join(lines, "\n"))}}
	return s
}
