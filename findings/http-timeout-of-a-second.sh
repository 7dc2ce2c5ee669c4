#!/usr/bin/env bash
# HTTP clients: a timeout of one second and an answer that takes four: half of the clients wait for all of it.
#
# Guess: timeout = 1 s ends a request after a second, since that is what it says, and what axios.get(url, {timeout: 1000}) is for.
# Seen: a server sends its headers at once and then a byte each quarter of a second. curl, got, and AbortSignal.timeout count from the start
# and end after a second. axios, undici, http.get, wget and Python's urllib count the silence between two bytes, so four
# seconds, or four hours, are fine. axios has both: the total with its fetch adapter, the silence with the default one.
# Whom it hurts: services with a deadline of their own: a slow upstream holds them as long as it likes. And whoever moves axios to
# fetch: long downloads that worked are cut.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for tool in curl wget python3; do [ -x /usr/bin/$tool ] || apt-get install -y -qq $tool >/dev/null; done
npm init -y >/dev/null
npm install --silent --no-audit --no-fund axios@1.21.1 got@16.1.0 undici@7.16.0 >/dev/null

cat >main.mjs <<'JS'
import { execFile } from 'node:child_process'
import http from 'node:http'
import { promisify } from 'node:util'
import axios from 'axios'
import got from 'got'
import { request } from 'undici'

const server = http.createServer((_, response) => {
  response.writeHead(200)
  response.write('x')
  let left = 16
  const timer = setInterval(() => {
    response.write('x')
    if (--left === 0) {
      clearInterval(timer)
      response.end()
    }
  }, 250)
})
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${server.address().port}/`
const run = promisify(execFile)

const clients = {
  'curl --max-time 1': () => run('/usr/bin/curl', ['-s', '--max-time', '1', url]),
  'got, timeout.request': () => got(url, { timeout: { request: 1000 }, retry: { limit: 0 } }),
  'fetch, AbortSignal.timeout': async () => (await fetch(url, { signal: AbortSignal.timeout(1000) })).text(),
  'axios, fetch adapter': () => axios.get(url, { timeout: 1000, adapter: 'fetch' }),
  'axios, default': () => axios.get(url, { timeout: 1000 }),
  'undici, bodyTimeout': async () => (await request(url, { headersTimeout: 1000, bodyTimeout: 1000 })).body.text(),
  'http.get, timeout': () => new Promise((resolve, reject) => {
    const client = http.get(url, { timeout: 1000 }, response => response.resume().on('end', resolve))
    client.on('timeout', () => client.destroy()).on('error', reject)
  }),
  'wget --timeout=1': () => run('/usr/bin/wget', ['-q', '-O', '/dev/null', '--tries=1', '--timeout=1', url]),
  'urllib, timeout=1': () => run('/usr/bin/python3', ['-c', `import urllib.request as r; r.urlopen("${url}", timeout=1).read()`])
}
let seen = ''
for (const [name, get] of Object.entries(clients)) {
  const begin = performance.now()
  const outcome = await get().then(() => 'the whole answer', () => 'a timeout')
  console.log(`${name.padEnd(28)}${outcome} after ${((performance.now() - begin) / 1000).toFixed(1)} s`)
  seen += outcome === 'a timeout' ? 't' : 'w'
}
if (seen !== 'ttttwwwww') console.log('CHANGED: four timeouts and five whole answers were seen')
process.exit(seen === 'ttttwwwww' ? 0 : 1)
JS
echo "axios 1.21.1, got 16.1.0, undici 7.16.0, Node.js $(node --version), $(curl --version | head -1 | cut -d' ' -f1,2)," \
	"$(wget --version | head -1 | cut -d' ' -f1-3), $(/usr/bin/python3 --version)"
node main.mjs
