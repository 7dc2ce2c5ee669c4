package machine

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/internal/fail"
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
		fail.UnlessSame(t, name, of(&c.info), c.want)
	}
	level := debug.BuildSetting{Key: "GO" + strings.ToUpper(runtime.GOARCH), Value: "v3"}
	info := debug.BuildInfo{Main: debug.Module{Path: module}, Settings: []debug.BuildSetting{level}}
	fail.UnlessSame(t, "the level of instructions", of(&info).Level, level.Key+"=v3")
}
