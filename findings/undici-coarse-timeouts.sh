#!/usr/bin/env bash
# undici: a timeout of 1.2 s takes 1.5 s, one of 2 s takes 2.5 s.
#
# Guess: headersTimeout of undici, the client behind fetch in Node.js, is a timer like setTimeout: a millisecond late.
# Seen: undici shares one timer of half a second among all requests. 800 ms take 1.0 s, 1,001 ms and 1,200 ms take 1.5 s, 2,000 ms
# take 2.5 s or more: late by up to a second, never early.
# Whom it hurts: whoever sets a timeout a little below that of a caller (900 of 1,000 ms): the caller gives up first, and the
# error of the inner request is never seen.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund undici@7.16.0 >/dev/null

cat >main.mjs <<'JS'
import http from 'node:http'
import { request } from 'undici'

const server = http.createServer(() => {}) // never answers
await new Promise(resolve => server.listen(0, resolve))
let changed = false
for (const headersTimeout of [800, 1001, 1200, 2000]) {
  const late = []
  for (let i = 0; i < 3; i++) {
    const begin = performance.now()
    await request(`http://localhost:${server.address().port}`, { headersTimeout }).catch(() => {})
    late.push(Math.round(performance.now() - begin - headersTimeout))
  }
  console.log(`headersTimeout ${headersTimeout} ms: late by ${late.join(', ')} ms`)
  changed ||= Math.min(...late) < 150
}
console.log(changed ? 'CHANGED: each was late by 200 ms and more' : 'all late')
process.exit(changed ? 1 : 0)
JS
echo "undici 7.16.0, Node.js $(node --version)"
node main.mjs
