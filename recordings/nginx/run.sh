#!/usr/bin/env bash
# Records nginx of Debian, which is built --with-debug, from its log.
title=$(nginx -v 2>&1 | sed 's|.*: nginx/|nginx |')
module="nginx-core of Debian"
licence=BSD-2-Clause
load="wrk for 30 s: 1,000 connections that stay and pause between requests, and 20 that come and go with each \
request; one worker, a reverse proxy before itself, keepalive_timeout 4s"
. "$(dirname "$0")/../lib.sh"
needs wrk wrk
needs nginx nginx-core

cat >"$work/nginx.conf" <<END
daemon off;
worker_processes 1;
pid $work/nginx.pid;
error_log $work/debug.log debug;
events { worker_connections 8000; }
http {
	access_log off;
	keepalive_timeout 4s;
	server { listen 127.0.0.1:14082; location / { proxy_pass http://127.0.0.1:14083; } }
	server { listen 127.0.0.1:14083; location / { return 200 "hello"; } }
}
END
nginx -p "$work" -c "$work/nginx.conf" &
server=$!
pids+=($server)
wait_for 14082
url=http://127.0.0.1:14082
run_for 60 wrk --threads 2 --connections 1000 --duration 30s --timeout 10s --script "$root/recordings/pause.lua" $url
for _ in 1 2 3; do
	wrk --threads 1 --connections 20 --duration 1s --header "Connection: close" $url
	sleep 9
done
kill -QUIT $server
wait $server
GOFLAGS='' go run -C "$root" ./recordings/nginx -about "$title under $load" -o "$work/nginx.trace" "$work/debug.log"
keep nginx
