#!/usr/bin/env bash
# Node.js: setInterval of timers/promises saves up the ticks of a slow loop, and then delivers all of them at once.
#
# Guess: "for await (const _ of setInterval(20))" behaves as a loop over a ticker: ticks that pass while the body awaits something
# merge into one, as a callback of setInterval and a ticker of Go do it.
# Seen: the iterator counts each tick of its timer and yields it later. After one body of a second, the next 49
# iterations come without a pause; there is no limit to the count. Node.js 20.20.2 and 26.10.0 do the same.
# Whom it hurts: pollers. One slow answer of a minute is followed by a burst of requests, as fast as the server answers, at just the
# moment when the server recovers.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main.mjs <<'JS'
import { setInterval as ticks, setTimeout as sleep } from 'node:timers/promises'

const period = 20
const times = []
for await (const _ of ticks(period)) {
  times.push(performance.now())
  if (times.length === 1) await sleep(50 * period) // one slow body
  if (times.length === 60) break
}
const burst = times.slice(1).filter(time => time < times[1] + 5 * period).length
console.log(`period ${period} ms, first body ${50 * period} ms`)
console.log(`iterations in the ${5 * period} ms after it: ${burst} (expected 5)`)

let calls = 0
let blocked = 0
const timer = setInterval(() => calls++, period)
await sleep(5 * period)
blocked = calls
const end = performance.now() + 50 * period
while (performance.now() < end); // a blocked event loop merges ticks
await new Promise(resolve => setImmediate(resolve))
clearInterval(timer)
console.log(`calls of setInterval after a block of ${50 * period} ms: ${calls - blocked}`)
if (burst < 25 || calls - blocked > 3) {
  console.log('CHANGED: about 54 iterations and one call were seen')
  process.exit(1)
}
JS
echo "Node.js $(node --version)"
node main.mjs
