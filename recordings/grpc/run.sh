#!/usr/bin/env bash
# Records a server of grpc-go: its example of keepalive, which ends idle and old connections.
title="grpc-go's example features/keepalive/server of 2026-08-25"
module=google.golang.org/grpc/examples@v0.0.0-20260825154716-030ee8becb20
licence=Apache-2.0
load="ghz v0.93.0 for 40 s: 500 connections with 3,000 calls a second, each with a deadline of 20 s"
. "$(dirname "$0")/../lib.sh"
program grpc ./features/keepalive/server
loader ghz github.com/bojand/ghz@v0.93.0 ./cmd/ghz

record grpc --port 14052
wait_for 14052
"$bin/ghz" --insecure --proto "$(source_of "$module")/features/proto/echo/echo.proto" \
	--call grpc.examples.echo.Echo.UnaryEcho --data '{"message": "hello"}' \
	--connections 500 --concurrency 1000 --rps 3000 --duration 40s --timeout 20s 127.0.0.1:14052 >"$work/load.log"
finish grpc
