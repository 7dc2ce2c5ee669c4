#!/usr/bin/env bash
# Node.js: an HTTP server with a headersTimeout of one second waits for thirty.
#
# Guess: headersTimeout and requestTimeout are timers of each connection, so a client that stops in the middle of its headers is
# answered with 408 after the time that was asked for.
# Seen: the server looks at its connections at an interval of its own, connectionsCheckingInterval, 30 s by default.
# The timeout only says which connections are ended then: 1 s means 1 to 31 s. With an interval of 500 ms it takes 1.5 s.
# Whom it hurts: operators who lower the two timeouts to free connections of slow clients, and see no difference below 30 s.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main.mjs <<'JS'
import http from 'node:http'
import net from 'node:net'

function slowClient (options) {
  return new Promise((resolve, reject) => {
    const server = http.createServer(options, (_, response) => response.end())
    server.listen(0, () => {
      const begin = performance.now()
      const client = net.connect(server.address().port, () => client.write('GET / HTTP/1.1\r\nHost: here\r\n'))
      client.on('data', answer => {
        const seconds = (performance.now() - begin) / 1000
        console.log(JSON.stringify(options), String(answer).split('\r\n')[0], `after ${seconds.toFixed(1)} s`)
        resolve(seconds)
      })
      client.on('error', reject)
      client.on('close', () => server.close())
    })
  })
}

const timeouts = { headersTimeout: 1000, requestTimeout: 1000 }
const often = await slowClient({ ...timeouts, connectionsCheckingInterval: 500 })
const byDefault = await slowClient(timeouts)
if (often > 10 || byDefault < 20) {
  console.log('CHANGED: 1.5 s and 30 s')
  process.exit(1)
}
JS
echo "Node.js $(node --version)"
node main.mjs
