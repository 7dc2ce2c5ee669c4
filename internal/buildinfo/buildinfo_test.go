package buildinfo

import (
	"runtime/debug"
	"testing"
)

func TestTheModuleIsFoundWhereverItIs(t *testing.T) {
	settings := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123abcd"}, {Key: "vcs.modified", Value: "true"}}
	for name, c := range map[string]struct {
		info debug.BuildInfo
		want Info
	}{
		"the command": {
			debug.BuildInfo{Main: debug.Module{Path: module, Version: "v0.1.0"}, Settings: settings[:1]},
			Info{"v0.1.0", "0123abcd"},
		},
		"with changes": {
			debug.BuildInfo{Main: debug.Module{Path: module, Version: "(devel)"}, Settings: settings},
			Info{"(devel)", "0123abcd+dirty"},
		},
		"without version control": {
			debug.BuildInfo{Main: debug.Module{Path: module, Version: "(devel)"}, Settings: settings[1:]},
			Info{"(devel)", ""},
		},
		"in another program, whose commit says nothing": {
			debug.BuildInfo{Main: debug.Module{Path: "example.com/shop"}, Deps: []*debug.Module{{Path: "a"}, {Path: module, Version: "v0.2.0"}}, Settings: settings},
			Info{Version: "v0.2.0"},
		},
		"nowhere": {debug.BuildInfo{Main: debug.Module{Path: "example.com/shop"}, Settings: settings}, Info{}},
	} {
		if got := of(&c.info); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if Read().Version == "" {
		t.Error("the test itself does not know its version")
	}
}
