#!/usr/bin/env bash
# Retry libraries: five of eight backoffs with jitter have none any more where they reach their cap, and one waits half longer than the cap.
#
# Guess: backoff with jitter from one second and a cap of a minute spreads clients at each attempt, above all in a long outage, and no
# wait is longer than a minute. That is why one turns jitter on.
# Seen: p-retry, async-retry, cockatiel, tenacity's wait_exponential_jitter and avast/retry-go add the jitter first and cap the sum: from
# the seventh attempt or so each wait is 60.000 s. cenkalti/backoff caps first, and then waits for up to 90 s. exponential-backoff
# and wait_random_exponential of tenacity draw from 0 to 60 s, as guessed.
# Whom it hurts: a server that stalls, or restarts, and drops all its clients at once: those that have reached the cap come back
# together each minute, until it stays up. Tests look at the first few attempts, where all is well.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
dpkg -s python3-tenacity >/dev/null 2>&1 || apt-get install -y -qq python3-tenacity >/dev/null 2>&1
npm install --silent --no-audit --no-fund p-retry@9.0.0 async-retry@1.3.3 cockatiel@4.0.0 exponential-backoff@3.1.3 >/dev/null

# Each program prints a library and the last 30 waits, in seconds, of a call that fails 41 times.
cat >main.mjs <<'JS'
import pRetry from 'p-retry'
import asyncRetry from 'async-retry'
import { retry, handleAll, ExponentialBackoff } from 'cockatiel'
import { backOff } from 'exponential-backoff'
let waits
globalThis.setTimeout = (f, ms) => (waits.push(ms / 1000), setImmediate(f))
const fail = () => { throw new Error('no') }
const npm = { retries: 40, minTimeout: 1000, maxTimeout: 60000, randomize: true }
for (const [name, run] of [
  ['p-retry', () => pRetry(fail, npm)],
  ['async-retry', () => asyncRetry(fail, npm)],
  ['cockatiel', () => retry(handleAll, { maxAttempts: 40, backoff: new ExponentialBackoff({ initialDelay: 1000, maxDelay: 60000 }) }).execute(fail)],
  ['exponential-backoff', () => backOff(async () => fail(), { numOfAttempts: 41, startingDelay: 1000, maxDelay: 60000, jitter: 'full' })],
]) {
  waits = []
  await run().catch(() => {})
  console.log(name, waits.filter(s => s > 0).slice(-30).join(' '))
}
JS
cat >main.py <<'PY'
import tenacity
for wait in tenacity.wait_exponential_jitter(initial=1, max=60), tenacity.wait_random_exponential(multiplier=1, max=60):
    waits = []
    stop = tenacity.stop_after_attempt(41)
    tenacity.Retrying(wait=wait, stop=stop, sleep=waits.append, retry_error_callback=lambda _: None)(lambda: 1 / 0)
    print("tenacity." + type(wait).__name__, *waits[-30:])
PY
cat >main.go <<'GO'
package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/avast/retry-go/v4"
	"github.com/cenkalti/backoff/v5"
)

type timer struct{ waits []any } // does not wait, but notes for how long

func (t *timer) After(d time.Duration) <-chan time.Time {
	t.waits = append(t.waits, d.Seconds())
	return time.After(0)
}

func main() {
	t := &timer{}
	retry.Do(func() error { return errors.New("no") }, retry.Attempts(41), retry.Delay(time.Second),
		retry.MaxDelay(time.Minute), retry.MaxJitter(10*time.Second), retry.WithTimer(t))
	fmt.Println(append([]any{"avast/retry-go"}, t.waits[10:]...)...)
	b := &backoff.ExponentialBackOff{InitialInterval: time.Second, RandomizationFactor: 0.5, Multiplier: 2, MaxInterval: time.Minute}
	fmt.Print("cenkalti/backoff")
	for i := range 40 {
		if wait := b.NextBackOff(); i >= 10 {
			fmt.Print(" ", wait.Seconds())
		}
	}
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/avast/retry-go/v4@v4.7.0 github.com/cenkalti/backoff/v5@v5.0.3 2>get.log || { cat get.log; exit 1; }
npm ls --depth 0 | sed -n '2,$p'
echo "$(dpkg-query -W -f '${Package} ${Version}' python3-tenacity); avast/retry-go v4.7.0, cenkalti/backoff v5.0.3, $(go version)"
{ node main.mjs; /usr/bin/python3 main.py; go run .; } | awk '{
	low = high = $2
	for (i = 3; i <= NF; i++) { if ($i < low) low = $i; if ($i > high) high = $i }
	constant = low == 60 && high == 60
	printf "%-34s %d waits from %.3f to %.3f s%s\n", $1, NF - 1, low, high, constant ? ": no jitter" : ""
	n++; without += constant; longer += high > 60
} END { if (n != 8 || without != 5 || longer != 1) { print "CHANGED: 5 of 8 had no jitter, and 1 was longer than 60 s"; exit 1 } }'
