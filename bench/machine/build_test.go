package machine

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestTheModuleIsFoundWhereverItIs(t *testing.T) {
	settings := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123abcd"}, {Key: "vcs.modified", Value: "true"}}
	for name, c := range map[string]struct {
		info debug.BuildInfo
		want Info
	}{
		"the command": {
			debug.BuildInfo{Main: debug.Module{Path: module}, Settings: settings[:1]},
			Info{Version: Version, Revision: "0123abcd"},
		},
		"with changes": {
			debug.BuildInfo{Main: debug.Module{Path: module}, Settings: settings},
			Info{Version: Version, Revision: "0123abcd+dirty"},
		},
		"without version control": {
			debug.BuildInfo{Main: debug.Module{Path: module}, Settings: settings[1:]},
			Info{Version: Version},
		},
		"in another program, whose commit says nothing": {
			debug.BuildInfo{Main: debug.Module{Path: "example.com/shop"}, Settings: settings},
			Info{Version: Version},
		},
	} {
		if got := of(&c.info); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	level := debug.BuildSetting{Key: "GO" + strings.ToUpper(runtime.GOARCH), Value: "v3"}
	info := debug.BuildInfo{Main: debug.Module{Path: module}, Settings: []debug.BuildSetting{level}}
	if got := of(&info).Level; got != level.Key+"=v3" {
		t.Errorf("the level of instructions is %q", got)
	}
}
