#!/usr/bin/env bash
# Keyv and cache-manager: entries that have expired stay in memory until somebody asks for them.
#
# Guess: a cache in memory with a TTL of a minute holds about the entries of the last minute: node-cache sweeps, and each set could
# drop a few.
# Seen: an expired entry goes when its own key is read, or when all are iterated. Nothing sweeps, and nothing bounds the number of
# entries, so keys that are never asked for again stay until the process ends, whatever their TTL. node-cache drops them.
# Whom it hurts: caches by user, token or URL: memory grows with all keys that were ever set. It looks like a leak of the
# application, since each TTL is set and each get is right.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund keyv@6.1.0 cache-manager@7.2.9 node-cache@5.1.2 >/dev/null

cat >main.mjs <<'JS'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCache } from 'cache-manager'
import Keyv from 'keyv'
import NodeCache from 'node-cache'

const stores = { keyv: new Map(), 'cache-manager': new Map() }
const caches = {
  keyv: new Keyv({ store: stores.keyv, ttl: 100 }),
  'cache-manager': createCache({ stores: [new Keyv({ store: stores['cache-manager'] })], ttl: 100 }),
  'node-cache': new NodeCache({ stdTTL: 0.1, checkperiod: 1 })
}
const held = name => (stores[name] ? stores[name].size : caches[name].keys().length)
let seen = ''
for (const [name, cache] of Object.entries(caches)) {
  for (let i = 0; i < 1000; i++) await cache.set(`key${i}`, 'value')
  await sleep(3000)
  for (let i = 0; i < 1000; i++) await cache.set(`later${i}`, 'value') // work goes on
  await sleep(3000)
  const before = held(name)
  const value = await cache.get('key0')
  console.log(`${name}: of 2,000 entries of 0.1 s ${before} are held three seconds later, get: ${value}, then ${held(name)}`)
  seen += ` ${before}`
}
console.log('expected: 0 of 2,000 each')
const changed = seen !== ' 2000 2000 0'
if (changed) console.log('CHANGED: 2,000, 2,000 and 0 were seen')
process.exit(changed ? 1 : 0)
JS
echo "keyv 6.1.0, cache-manager 7.2.9, node-cache 5.1.2, Node.js $(node --version)"
node main.mjs
