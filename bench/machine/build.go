package machine

import (
	"runtime"
	"runtime/debug"
	"strings"
)

const module = "github.com/timerbench/timerbench"

// Version is the version of this source: the newest one of CHANGELOG.md.
const Version = "v0.1.0"

// Info describes the build. An unknown field is empty.
type Info struct {
	Version  string // of this module
	Revision string // the commit, with "+dirty" behind it if files were changed
	Level    string // of the instructions that it may use: "GOAMD64=v1"
}

// Build describes the running program.
func Build() Info {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Info{}
	}
	return of(info)
}

// of picks out this module, which may be the program or part of another one. The commit is that of the program.
func of(info *debug.BuildInfo) Info {
	out := Info{Version: Version}
	if info.Main.Path != module {
		return out
	}
	dirty := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "GO"+strings.ToUpper(runtime.GOARCH):
			out.Level = s.Key + "=" + s.Value
		case s.Key == "vcs.revision":
			out.Revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	if out.Revision != "" {
		out.Revision += dirty
	}
	return out
}
