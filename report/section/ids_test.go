package section

import (
	"strings"
	"testing"
)

func TestIDsAreUnique(t *testing.T) {
	t.Parallel()
	id := IDs()
	for _, c := range []struct{ title, want string }{
		{"Which one should I use?", "which-one-should-i-use"},
		{"hold, N = 1k: cost", "hold-n-1k-cost"},
		{"Hold; n 1k, cost", "hold-n-1k-cost-2"},
		{"hold-n-1k-cost-2", "hold-n-1k-cost-2-2"},
		{"latency-x/../../../NAME\x00-10", "latency-x-name-10"},
		{strings.Repeat("ä", 300), strings.Repeat("ä", longestID/2)},
		{strings.Repeat("ä", 300), strings.Repeat("ä", longestID/2) + "-2"},
		{"not \xff UTF-8", "not-utf-8"},
	} {
		if got := id(c.title); got != c.want {
			t.Errorf("%s: %s, want %s", c.title, got, c.want)
		}
	}
}
