#!/usr/bin/env bash
# Go's os/exec: a script with a deadline of a second is killed after one, and Output returns after four.
#
# Guess: exec.CommandContext with a deadline of a second ends Output, Run and CombinedOutput after a second, as a timeout does in Python
# and Node.js. That a child of the script may live on is known, but nobody waits for it.
# Seen: Go kills the shell and then waits for the end of its output. "sleep", a child of the shell, has the pipe open, too, so Output
# waits for sleep: four seconds. A single program ends after one. Python's run, Node's exec and spawnSync, and timeout(1) end
# after one second in both cases, and so does Go with Cmd.WaitDelay, which is not set by default.
# Whom it hurts: schedulers and health checks in Go that run scripts, pipelines and wrappers. The deadline holds in the test with one
# program; a script that starts a daemon holds its worker for as long as the daemon lives.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main.go <<'GO'
package main

import (
	"context"
	"os"
	"os/exec"
	"time"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", os.Args[1])
	if len(os.Args) > 2 {
		cmd.WaitDelay = 10 * time.Millisecond
	}
	cmd.Output()
}
GO
cat >run.py <<'PY'
import subprocess, sys
try:
    subprocess.run(sys.argv[1], shell=True, capture_output=True, timeout=1)
except subprocess.TimeoutExpired:
    pass
PY
cat >sync.js <<'JS'
require('child_process').spawnSync(process.argv[2], { shell: true, timeout: 1000 })
JS
cat >exec.js <<'JS'
require('child_process').exec(process.argv[2], { timeout: 1000 }, () => process.exit())
JS
go mod init finding >/dev/null 2>&1
go build -o go-run .
go version
/usr/bin/python3 --version
echo "Node.js $(node --version)"

# seconds SEEN COMMAND...: runs the command, prints how long it took, and compares with what was seen: one second or four.
changed=0
seconds() {
	local seen=$1 begin took
	shift
	begin=$(date +%s%N)
	"$@" >/dev/null 2>&1 </dev/null || true
	took=$((($(date +%s%N) - begin) / 1000000))
	echo "$*: $took ms"
	if [ "$seen" = 4 ]; then [ "$took" -ge 3900 ] || changed=1; else [ "$took" -lt 3900 ] || changed=1; fi
}
seconds 1 ./go-run "exec sleep 4"
script='sleep 4; true'
seconds 4 ./go-run "$script"
seconds 1 ./go-run "$script" WaitDelay
seconds 1 /usr/bin/python3 run.py "$script"
seconds 1 node sync.js "$script"
seconds 1 node exec.js "$script"
seconds 1 timeout 1 sh -c "$script"
[ "$changed" = 0 ] || { echo "CHANGED: four seconds in the second line, one in all others"; exit 1; }
