package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/internal/fail"
)

func TestAnErrorOfOnePlatformIsFound(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"go.mod":         "module example.com/m\n\ngo 1.26\n",
		"m.go":           "package m\n\nimport \"os\"\n\nvar file os.File\n",
		"m_linux.go":     "package m\n\nconst system = 1\n",
		"m_test.go":      "package m\n\nimport \"testing\"\n\nfunc TestSystem(*testing.T) { _, _ = system, bits }\n",
		"bits.go":        "package m\n\nconst bits = uint(1 << 40)\n",
		"sub/windows.go": "package sub\n\nimport \"example.com/m\"\n\nvar _ = m.Missing\n",
	} {
		fail.If(t, os.MkdirAll(filepath.Dir(name), 0o777))
		fail.If(t, os.WriteFile(name, []byte(text), 0o666))
	}
	for platform, wants := range map[string][]string{
		"windows/386": {"m_test.go:5:38: undefined: system", "bits.go:3:19: ", "sub/windows.go:5:11: undefined: m.Missing"},
		"windows":     {"want a system and a processor of Go, such as windows/386"},
		"windows/vax": {"want a system and a processor"},
	} {
		err := check(platform)
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", platform, err, want)
			}
		}
	}
	fail.If(t, os.RemoveAll("sub"))
	fail.If(t, check("linux/amd64"))
}
