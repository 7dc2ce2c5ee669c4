#!/usr/bin/env bash
# Records wireguard-go: its example of an HTTP server in a tunnel, whose network is in user space.
title="wireguard-go's example http_server of 2026-05-22"
module=golang.zx2c4.com/wireguard@v0.0.0-20260522210424-ecfc5a8d5446
licence=MIT most=400000
load="20 HTTP clients through one tunnel for 40 s: each pauses for 200 ms on average between requests, and connects again after ten"
. "$(dirname "$0")/../lib.sh"
program wireguard tun/netstack/examples/http_server.go
loader wireguard-load "$module" "$root/recordings/wireguard/load.go"

record wireguard
sleep 1
"$bin/wireguard-load" >"$work/load.log"
finish wireguard
