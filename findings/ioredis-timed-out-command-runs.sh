#!/usr/bin/env bash
# ioredis: a command that timed out runs later.
#
# Guess: commandTimeout takes the command back: after the error "Command timed out" a command that was never sent is not sent any more.
# Seen: while the server is away, commands wait in the offline queue. The timeout rejects the promise and leaves the command
# there, so all of them run when the server is back: within 20 attempts to connect by default, at any time with
# maxRetriesPerRequest: null.
# Whom it hurts: callers that answer a timeout with an error, a retry or another store. After an outage the counter has
# each attempt in it, SET brings back old values, and a lock with NX is taken by a client that gave up long ago.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
command -v redis-server >/dev/null || apt-get install -y -qq redis-server >/dev/null
npm init -y >/dev/null
npm install --silent --no-audit --no-fund ioredis@6.0.0 >/dev/null

cat >main.mjs <<'JS'
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'

const client = new Redis({ path: './sock', commandTimeout: 300 })
client.on('error', () => {}) // no server yet
let errors = 0
for (let i = 0; i < 3; i++) {
  await client.incr('counter').catch(error => {
    errors++
    console.log('INCR without a server:', error.message)
  })
}
await sleep(1000)
const server = spawn('redis-server', ['--port', '0', '--unixsocket', './sock', '--save', ''], { stdio: 'ignore' })
let counter = null
for (let i = 0; i < 100 && counter === null; i++) {
  await sleep(200)
  counter = await client.get('counter').catch(() => null)
}
console.log(`counter once the server is up: ${counter} (expected 0)`)
server.kill()
const changed = errors !== 3 || counter !== '3'
if (changed) console.log('CHANGED: three errors and a counter of 3 were seen')
process.exit(changed ? 1 : 0)
JS
echo "ioredis 6.0.0, Node.js $(node --version), $(redis-server --version | cut -d' ' -f1-3)"
node main.mjs
