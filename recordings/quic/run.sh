#!/usr/bin/env bash
# Records a server of quic-go: its example of HTTP/3.
title="quic-go v0.65.0's example"
module=github.com/quic-go/quic-go@v0.65.0
licence=MIT
load="its example client for 60 s: 10 loops, in turns of a client that fetches 8 pages of 30 kB and one that \
is killed within 10 MB, so that its connection stays until it is idle"
. "$(dirname "$0")/../lib.sh"
program quic ./example
loader quic-client "$module" ./example/client

record quic -bind 127.0.0.1:14443
sleep 2 # it listens on UDP
urls=()
for _ in $(seq 8); do urls+=(https://127.0.0.1:14443/30000); done
for _ in $(seq 10); do
	run_for 60 sh -c 'while :; do
		"$@"; sleep 0.2
		timeout -s KILL 0.3 "$1" -q -insecure https://127.0.0.1:14443/10000000; sleep 0.2
	done' sh "$bin/quic-client" -q -insecure "${urls[@]}"
done
sleep 61
finish quic
