#!/usr/bin/env bash
# Puts the server under load by wrk and records its timers:
#   record.sh TIMERBENCH FILE [SECONDS]
# Two kinds of clients: 500 connections that stay, and 20 that come and go with
# each request, in bursts of two seconds.
set -euo pipefail
timerbench=$1 file=$2 seconds=${3:-40}
here=$(dirname "$0")
addr=127.0.0.1:18080
keep=500 burst=20

command -v wrk >/dev/null || {
	echo "record.sh: needs wrk, an HTTP load generator: apt-get install wrk (Debian, Ubuntu), brew install wrk (macOS)" >&2
	exit 1
}

work=$(mktemp -d)
trap 'kill "${recorder:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
go build -C "$here" -o "$work/httpserver" .
"$timerbench" trace record --out "$file" -- "$work/httpserver" --addr "$addr" \
	--about "under wrk for $seconds s on loopback: $keep connections that stay, bursts of $burst that come and go" &
recorder=$!
for _ in $(seq 100); do
	(exec 3<>"/dev/tcp/${addr%:*}/${addr#*:}") 2>/dev/null && break
	sleep 0.1
done

wrk --threads 2 --connections $keep --duration "${seconds}s" --timeout 10s --script "$here/keepalive.lua" "http://$addr/" &
load=$!
for _ in $(seq $((seconds / 5))); do
	wrk --threads 1 --connections $burst --duration 2s --header "Connection: close" "http://$addr/?wait=40ms" >/dev/null
	sleep 3
done
wait $load
kill -TERM $recorder
wait $recorder
recorder=
