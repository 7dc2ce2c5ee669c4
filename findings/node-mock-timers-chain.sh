#!/usr/bin/env bash
# Node.js: one tick of its mock timers runs one link of a chain of timeouts, and at the wrong time.
#
# Guess: mock.timers.tick(1000) of node:test runs a function that sets itself again every 100 ms ten times, with Date.now() at
# 100, 200, ..., as @sinonjs/fake-timers (Jest, Vitest) does.
# Seen: tick moves the clock to its end first. The function runs once, sees 1000, and sets its next run for 1100. Of two timers
# of 100 and 900 ms, both see 1000. setInterval does run ten times, but each call sees 1000, too.
# Node.js 20.20.2 and 26.10.0 do the same.
# Whom it hurts: tests of retries with backoff, polling and sessions that are moved from Jest: they see one attempt where there are
# ten, and every elapsed time is wrong.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @sinonjs/fake-timers@15.5.0 >/dev/null

cat >main.mjs <<'JS'
import { mock } from 'node:test'
import FakeTimers from '@sinonjs/fake-timers'

// Returns the times at which a chain, two timeouts and an interval run, in one tick of a second.
function scenario(tick) {
  const chain = []
  const link = () => { chain.push(Date.now()); setTimeout(link, 100) }
  setTimeout(link, 100)
  const two = []
  setTimeout(() => two.push(Date.now()), 100)
  setTimeout(() => two.push(Date.now()), 900)
  const interval = []
  setInterval(() => interval.push(Date.now()), 100)
  tick(1000)
  return [chain, two, interval].map(times => times.join(' ')).join(' | ')
}
mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: 0 })
const node = scenario(ms => mock.timers.tick(ms))
mock.timers.reset()
const clock = FakeTimers.install({ now: 0 })
const sinon = scenario(ms => clock.tick(ms))
clock.uninstall()
console.log('chain of 100 ms | timeouts of 100 and 900 ms | interval of 100 ms')
console.log('fake-timers:', sinon)
console.log('node:test:  ', node)
const tens = '100 200 300 400 500 600 700 800 900 1000'
const ones = Array(10).fill(1000).join(' ')
if (sinon !== `${tens} | 100 900 | ${tens}` || node !== `1000 | 1000 1000 | ${ones}`) {
  console.log('CHANGED: fake-timers stepped through the second, node:test saw its end alone')
  process.exit(1)
}
JS
echo "Node.js $(node --version), @sinonjs/fake-timers 15.5.0"
node main.mjs 2>/dev/null
