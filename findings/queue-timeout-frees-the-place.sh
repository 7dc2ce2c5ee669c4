#!/usr/bin/env bash
# p-queue, Bottleneck and better-queue: a queue that runs one job at a time runs six at once after timeouts.
#
# Guess: with concurrency 1 no two jobs run at the same time, whatever else is set. A timeout of 200 ms ends the job, or it tells the
# caller of the delay while the place stays taken until the job has ended.
# Seen: JavaScript cannot end a promise. The timeout rejects the caller's promise and gives the place to the next job, and the first one
# runs on. With jobs of three seconds and a timeout of 200 ms all six run at once; without the timeout it is one.
# Whom it hurts: whoever limits calls to a slow service or a database and adds a timeout for safety. When the service becomes slow,
# the limit is lifted just then, and each retry adds a call. A queue of 1 that stands for a lock (one writer, one migration) lets a
# second writer in.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund p-queue@10.0.0 bottleneck@2.19.5 better-queue@3.8.12 >/dev/null

cat >main.mjs <<'JS'
import PQueue from 'p-queue'
import Bottleneck from 'bottleneck'
import BetterQueue from 'better-queue'
import { setTimeout as sleep } from 'node:timers/promises'

const numbers = [1, 2, 3, 4, 5, 6]
// Each takes a job and a timeout, or undefined for none, runs six of them in a queue for one, and returns when the queue is done.
const queues = {
  'p-queue': async (job, timeout) => {
    const queue = new PQueue({ concurrency: 1, timeout })
    await Promise.allSettled(numbers.map(() => queue.add(job)))
  },
  bottleneck: async (job, timeout) => {
    const queue = new Bottleneck({ maxConcurrent: 1 })
    await Promise.allSettled(numbers.map(() => queue.schedule({ expiration: timeout ?? null }, job)))
  },
  'better-queue': (job, timeout) => new Promise(resolve => {
    const options = { concurrent: 1, ...(timeout && { maxTimeout: timeout }) }
    const queue = new BetterQueue((_, done) => { job().then(() => done()) }, options)
    queue.on('drain', resolve)
    for (const id of numbers) queue.push({ id })
  }),
}

async function most(run, duration, timeout) {
  let running = 0
  let most = 0
  let ended = 0
  await run(async () => {
    most = Math.max(most, ++running)
    await sleep(duration)
    running--
    ended++
  }, timeout)
  while (running > 0) await sleep(50)
  return { most, ended }
}
let changed = false
for (const [name, run] of Object.entries(queues)) {
  const without = await most(run, 100)
  const timeout = await most(run, 3000, 200)
  console.log(`${name}: at most ${without.most} at once without a timeout; ` +
    `at most ${timeout.most} at once with a timeout of 200 ms, and ${timeout.ended} of 6 jobs ran to their end`)
  changed ||= without.most !== 1 || timeout.most < 3 || timeout.ended !== 6
}
if (changed) console.log('CHANGED: one at once without a timeout, several with one, and six ends were seen')
process.exit(changed ? 1 : 0)
JS
echo "p-queue 10.0.0, bottleneck 2.19.5, better-queue 3.8.12, Node.js $(node --version)"
node main.mjs
