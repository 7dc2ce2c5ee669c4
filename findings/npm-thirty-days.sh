#!/usr/bin/env bash
# npm libraries: thirty days are at once, or a thousand wake-ups a second.
#
# Guess: libraries that take a delay know that setTimeout ends at 2^31 ms (24.8 days): they wait in steps or refuse the value.
# Seen: croner, cron, node-schedule, p-timeout and @isaacs/ttlcache do, and toad-scheduler throws. RxJS, Bottleneck and
# AbortSignal.timeout of Node.js itself pass the value on, and are done after a millisecond. lru-cache with ttlAutopurge keeps the
# entry, and sets its timer again each millisecond until the thirty days are over.
# Whom it hurts: monthly quotas, trials and sessions. A warning on stderr is all there is; each works in the test with an hour.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund croner@11.0.0 cron@4.4.0 node-schedule@2.1.1 p-timeout@8.0.0 @isaacs/ttlcache@2.1.5 \
	toad-scheduler@4.1.0 rxjs@7.8.2 bottleneck@2.19.5 lru-cache@11.5.3 >/dev/null

cat >main.mjs <<'JS'
import { TTLCache } from '@isaacs/ttlcache'
import Bottleneck from 'bottleneck'
import { CronJob } from 'cron'
import { Cron } from 'croner'
import { LRUCache } from 'lru-cache'
import schedule from 'node-schedule'
import pTimeout from 'p-timeout'
import { NEVER, timeout, timer } from 'rxjs'
import { SimpleIntervalJob, Task, ToadScheduler } from 'toad-scheduler'

const month = 30 * 24 * 3600 * 1000
const date = new Date(Date.now() + month)
const never = () => new Promise(() => {})
let warnings = 0
process.on('warning', () => warnings++)

// Each sets something for thirty days from now and calls done when it comes.
const libraries = {
  croner: done => new Cron(date, done),
  cron: done => new CronJob(date, done, null, true),
  'node-schedule': done => schedule.scheduleJob(date, done),
  'p-timeout': done => pTimeout(never(), { milliseconds: month }).catch(done),
  '@isaacs/ttlcache': done => new TTLCache({ ttl: month, dispose: done }).set('key', 1),
  'toad-scheduler': done => new ToadScheduler().addSimpleIntervalJob(new SimpleIntervalJob({ days: 30 }, new Task('task', done))),
  'rxjs timer': done => timer(date).subscribe(done),
  'rxjs timeout': done => NEVER.pipe(timeout(month)).subscribe({ error: done }),
  'Bottleneck expiration': done => new Bottleneck().schedule({ expiration: month }, never).catch(done),
  'AbortSignal.timeout': done => AbortSignal.timeout(month).addEventListener('abort', done),
  'lru-cache ttlAutopurge': done => new LRUCache({ max: 9, ttl: month, ttlAutopurge: true, dispose: done }).set('key', 1)
}
let seen = ''
for (const [name, set] of Object.entries(libraries)) {
  let outcome = 'waits'
  warnings = 0
  try {
    set(() => { outcome = 'at once' })
  } catch {
    outcome = 'throws'
  }
  await new Promise(resolve => setTimeout(resolve, 1000))
  if (warnings > 20) outcome = 'busy'
  console.log(`${name.padEnd(24)}${outcome}${outcome === 'busy' ? `: ${warnings} timers in the first second` : ''}`)
  seen += outcome[0]
}
if (seen !== 'wwwwwtaaaab') {
  console.log('CHANGED: five wait, one throws, four are at once and one is busy')
  process.exit(1)
}
process.exit()
JS
echo "Node.js $(node --version)"
node main.mjs 2>/dev/null
