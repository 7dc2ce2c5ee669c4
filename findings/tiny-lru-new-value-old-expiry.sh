#!/usr/bin/env bash
# tiny-lru: a value that is set anew expires with the one it has replaced.
#
# Guess: set(key, value) in a cache with a TTL of two seconds keeps the value for two seconds, whether the key was there or not, as
# lru-cache, node-cache and @isaacs/ttlcache do.
# Seen: set of a key that is there changes the value and leaves the expiry alone. A value that is set 1.4 s after the first one lives for
# 0.6 s. With the argument resetTtl, false by default, it lives for two seconds.
# Whom it hurts: caches that are renewed ahead of time (a token at 90 % of its life, a session at each request): each value is thrown away
# just after it was fetched, and sessions in use end.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund tiny-lru@13.1.0 lru-cache@11.5.3 node-cache@5.1.2 @isaacs/ttlcache@2.1.5 >/dev/null

cat >main.mjs <<'JS'
import { mock } from 'node:test'
import { TTLCache } from '@isaacs/ttlcache'
import { LRUCache } from 'lru-cache'
import NodeCache from 'node-cache'
import { lru } from 'tiny-lru'

// The clock is set by hand, so that the load of the machine does not matter.
let now = 1_800_000_000_000
mock.method(Date, 'now', () => now)
mock.method(performance, 'now', () => now)

const caches = {
  'tiny-lru': [lru(100, 2000), undefined],
  'tiny-lru with resetTtl': [lru(100, 2000, true), 'new'],
  'lru-cache': [new LRUCache({ max: 100, ttl: 2000, ttlResolution: 0 }), 'new'],
  'node-cache': [new NodeCache({ stdTTL: 2, checkperiod: 0 }), 'new'],
  '@isaacs/ttlcache': [new TTLCache({ ttl: 2000, noTimer: true }), 'new'],
}
let changed = false
for (const [name, [cache, expected]] of Object.entries(caches)) {
  cache.set('token', 'old')
  now += 1400
  cache.set('token', 'new')
  const before = cache.get('token')
  now += 1000
  const after = cache.get('token')
  console.log(`${name}: set again after 1.4 s: ${before}; a second later: ${after}`)
  changed ||= before !== 'new' || after !== expected
}
if (changed) console.log('CHANGED: new everywhere, and then undefined in tiny-lru without resetTtl alone, was seen')
process.exit(changed ? 1 : 0)
JS
echo "tiny-lru 13.1.0, lru-cache 11.5.3, node-cache 5.1.2, @isaacs/ttlcache 2.1.5, Node.js $(node --version)"
node main.mjs
