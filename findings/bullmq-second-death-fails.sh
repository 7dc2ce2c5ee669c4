#!/usr/bin/env bash
# BullMQ: a job with ten attempts fails for good when its worker dies for the second time.
#
# Guess: the death of a worker is an attempt that failed: with attempts: 10 the job is tried again up to nine times, as after an error.
# Seen: a job whose worker dies is "stalled", which is counted apart from attempts. maxStalledCount of the worker, 1 by default,
# allows one; the second makes the job fail with nine attempts left ("job stalled more than allowable limit").
# Whom it hurts: long jobs where machines are taken away (spot instances, deployments, memory limits): two evictions in the life of a
# job, and it is lost to whoever relied on attempts.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill "$redis" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
command -v redis-server >/dev/null || apt-get install -y -qq redis-server >/dev/null
npm init -y >/dev/null
npm install --silent --no-audit --no-fund bullmq@6.7.0 ioredis@6.0.0 >/dev/null
redis-server --port 0 --unixsocket "$dir/sock" --save '' --dir "$dir" >/dev/null &
redis=$!
until [ -S sock ]; do sleep 0.1; done

cat >worker.mjs <<'JS'
import { Worker } from 'bullmq'
// Short times, so that a lost worker is noticed in seconds instead of half a minute; the counts are the defaults.
const options = { connection: { path: './sock', maxRetriesPerRequest: null }, lockDuration: 2000, stalledInterval: 1000 }
new Worker('jobs', async job => {
  if (job.name === 'throws') throw new Error('tried and failed')
  process.kill(process.pid, 'SIGKILL') // the machine is taken away
}, options)
JS
cat >main.mjs <<'JS'
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Queue } from 'bullmq'

const queue = new Queue('jobs', { connection: { path: './sock', maxRetriesPerRequest: null } })

// Runs workers, a new one for each that dies, until the job has failed; returns its attempts and the deaths.
async function work(name) {
  const job = await queue.add(name, {}, { attempts: 10 })
  let deaths = 0
  let worker = null
  const start = () => {
    worker = spawn(process.execPath, ['worker.mjs'], { stdio: 'ignore' })
    worker.on('exit', () => {
      if (worker === null) return
      deaths++
      start()
    })
  }
  start()
  for (let i = 0; i < 300 && !(await job.isFailed()); i++) await sleep(200)
  const last = worker
  worker = null
  last.kill('SIGKILL')
  const { attemptsMade, failedReason } = await queue.getJob(job.id)
  console.log(`${name}: failed after ${deaths} deaths, attemptsMade ${attemptsMade} of 10, "${failedReason}"`)
  return [deaths, attemptsMade < 3]
}
const throws = await work('throws')
const dies = await work('dies')
const changed = `${throws} ${dies}` !== '0,false 2,true'
if (changed) console.log('CHANGED: ten attempts for the job that throws, two deaths for the other were seen')
process.exit(changed ? 1 : 0)
JS
echo "bullmq 6.7.0, Node.js $(node --version), $(redis-server --version | cut -d' ' -f1-3)"
node main.mjs
