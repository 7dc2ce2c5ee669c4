// Package buildinfo says which version of this module is running.
package buildinfo

import (
	"runtime"
	"runtime/debug"
	"strings"
)

const module = "github.com/timerbench/timerbench"

// Info describes the build. An unknown field is empty.
type Info struct {
	Version  string // of the module: "v0.1.0", or "(devel)" of a build from a folder
	Revision string // the commit, with "+dirty" behind it if files were changed
	Level    string // of the instructions that it may use: "GOAMD64=v1"
}

// Read reads it from the running program.
func Read() Info {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Info{}
	}
	return of(info)
}

// of picks out this module, which may be the program or part of another one. The commit is that of the program.
func of(info *debug.BuildInfo) Info {
	if info.Main.Path != module {
		for _, dep := range info.Deps {
			if dep.Path == module {
				return Info{Version: dep.Version}
			}
		}
		return Info{}
	}
	out := Info{Version: info.Main.Version}
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
