#!/usr/bin/env bash
# Redis: TTL says 0 for half a second before a key expires.
#
# Guess: TTL is the seconds that are left, rounded up, or -2 when the key is gone: a key that exists has at least 1.
# Seen: the milliseconds that are left are rounded to the nearest second. A key with less than half a second left has a TTL of 0
# and a value; and with 1.5 s left, the TTL is 2.
# Whom it hurts: rate limiters that answer "Retry-After: TTL": clients come back at once, all together, and are refused again; and
# code that takes 0 for "has expired", while SET NX still fails.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill "$redis" 2>/dev/null || true; rm -rf "$dir"' EXIT
command -v redis-server >/dev/null || apt-get install -y -qq redis-server >/dev/null
redis-server --port 0 --unixsocket "$dir/sock" --save '' --dir "$dir" >/dev/null &
redis=$!
until [ -S "$dir/sock" ]; do sleep 0.1; done
redis-server --version | cut -d' ' -f1-3

zeros=0
for left in 450 490 510 1400 1600; do
	# One transaction: all commands see the same millisecond, or the next.
	out=$(printf 'MULTI\nSET key value PX %s\nPTTL key\nTTL key\nSET key other NX\nEXEC\n' "$left" | redis-cli -s "$dir/sock" | tail -3 | tr '\n' ' ')
	read -r pttl ttl nx <<<"$out"
	echo "$pttl ms left: TTL $ttl, SET NX ${nx:-is refused}"
	[ "$pttl" -ge 500 ] || [ "$ttl" != 0 ] || [ -n "${nx:-}" ] || zeros=$((zeros + 1))
done
[ "$zeros" = 2 ] || { echo "CHANGED: TTL was 0 for both keys with less than 500 ms"; exit 1; }
