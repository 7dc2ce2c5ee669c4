#!/usr/bin/env bash
# Node.js: AbortSignal.timeout does not keep the process alive, and the program ends before its own timeout.
#
# Guess: a program that waits for the abort event of AbortSignal.timeout(500) goes on after half a second, as with setTimeout.
# Seen: the timer of the signal does not count as work. If nothing else does, the process ends at once: with exit code 13 if a
# top-level await waits, and with 0, as if all were well, if a function waits. A socket or a file that is open hides this.
# Whom it hurts: scripts that wait for something with a deadline and clean up, retry or report when it passes: the part after the wait
# never runs. Tests with a mock in place of the socket see it first.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo "node $(node --version)"
cat >wait.mjs <<'JS'
const waits = make => new Promise(make)
async function main(kind) {
  if (kind === 'setTimeout') await waits(r => setTimeout(r, 500))
  else await waits(r => AbortSignal.timeout(500).addEventListener('abort', r))
  console.log('went on after the wait')
}
if (process.argv[2] === 'await') await main('signal')
else main(process.argv[2])
JS
seen=
for kind in setTimeout signal await; do
	code=0
	out=$(node wait.mjs "$kind" 2>/dev/null) || code=$?
	echo "$kind: exit code $code, ${out:-never went on}"
	seen+="$code:${out:+on} "
done
[ "$seen" = "0:on 0: 13: " ] || { echo "CHANGED: it was '0:on 0: 13: '"; exit 1; }
