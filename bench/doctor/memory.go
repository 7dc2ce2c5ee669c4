package doctor

import (
	"github.com/timerbench/timerbench/bench/results"
)

// pageSize says how much memory an entry of the translation cache covers.
func (s System) pageSize() results.Finding {
	return ok("page size", "%d kB", s.PageSize/1024)
}

// hugePages says whether the kernel gives the heap pages of megabytes.
func (s System) hugePages() results.Finding {
	const check, file = "transparent huge pages", "sys/kernel/mm/transparent_hugepage/enabled"
	text, err := s.read(file)
	if err != nil {
		return unavailable(check, err)
	}
	mode := selected(text)
	if mode == "always" {
		return warn(check, mode,
			"large structures get huge pages when the kernel has time to make them, which differs from run to run: write madvise to /"+file)
	}
	return ok(check, "%s", mode)
}
