package section

import "strings"

// reproduce says how to make the results again.
func reproduce(v *View) Section {
	s := Section{Title: "How can I make these figures again?"}
	if v.Command == "" {
		return s
	}
	revision, changed := strings.CutSuffix(v.Environment.Revision, "+dirty")
	s.Lead = "In a folder with the sources of timerbench, on a machine like the one below. " +
		"The same seed makes the same operations on any machine; times and ratios differ."
	var lines []string
	if revision != "" {
		lines = append(lines, "git checkout "+revision)
		if changed {
			s.Lead += " Files had been changed since that commit."
		}
	}
	lines = append(lines, "make build", "bin/"+v.Command, "bin/timerbench report")
	s.Tables = []Table{{Body: fenced("sh", strings.Join(lines, "\n"))}}
	return s
}
