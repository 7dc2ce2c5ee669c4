#!/usr/bin/env bash
# RxJS: a value that shareReplay keeps for a second is fetched once, and from then on subscribers get nothing at all.
#
# Guess: request$.pipe(shareReplay(1, 60_000)) is a cache of a minute: a subscriber of the second minute starts the request again.
# Seen: the window says how long the value is replayed, and nothing says when to ask again. An HTTP request completes after its value, and
# shareReplay never subscribes again to a source that has completed. Later subscribers get "complete" without a value and
# without an error, for as long as the program lives. With refCount: true the source is asked at each call, so nothing is cached.
# Whom it hurts: Angular services and gateways that cache a configuration or a token this way: all is well in the first minute, and then
# pages stay empty, firstValueFrom throws EmptyError, and forkJoin of several such values ends without a result.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund rxjs@7.8.2 >/dev/null

cat >main.mjs <<'JS'
import { defer, firstValueFrom, from, ReplaySubject, share, shareReplay, timer } from 'rxjs'
import { setTimeout as sleep } from 'node:timers/promises'

// Asks a cache with a lifetime of a second at once, again, and twice after the end of the lifetime; counts the requests.
async function ask(name, cache) {
  let requests = 0
  const request = defer(() => from(Promise.resolve(`answer ${++requests}`)))
  const cached = request.pipe(cache)
  const seen = []
  for (const pause of [0, 0, 1500, 1500]) {
    await sleep(pause)
    seen.push(await firstValueFrom(cached, { defaultValue: 'nothing' }))
  }
  const line = `${seen.join(', ')}; requests: ${requests}`
  console.log(`${name}: ${line}`)
  return line
}
const lines = [
  await ask('shareReplay(1, 1000)', shareReplay(1, 1000)),
  await ask('shareReplay with refCount', shareReplay({ bufferSize: 1, windowTime: 1000, refCount: true })),
  await ask('share with resetOnComplete after a timer', share({
    connector: () => new ReplaySubject(1), resetOnComplete: () => timer(1000), resetOnRefCountZero: false,
  })),
]
const expected = [
  'answer 1, answer 1, nothing, nothing; requests: 1',
  'answer 1, answer 2, answer 3, answer 4; requests: 4',
  'answer 1, answer 1, answer 2, answer 3; requests: 3',
]
const changed = lines.filter((line, i) => line !== expected[i])
if (changed.length > 0) console.log('CHANGED:', changed.join(' | '))
process.exit(changed.length > 0 ? 1 : 0)
JS
echo "rxjs 7.8.2, Node.js $(node --version)"
node main.mjs
