#!/usr/bin/env bash
# Records Caddy: a reverse proxy before nginx.
title="Caddy v2.11.9"
module=github.com/caddyserver/caddy/v2@v2.11.9
licence=Apache-2.0
load="wrk for 40 s: 10,000 connections that stay and pause for 5 to 30 s between requests, and 20 that come and go with \
each request, in bursts; it is a reverse proxy before nginx"
. "$(dirname "$0")/../lib.sh"
needs wrk wrk
needs nginx nginx-core
program caddy ./cmd/caddy

cat >"$work/nginx.conf" <<END
daemon off;
pid $work/nginx.pid;
error_log $work/nginx.log;
events { worker_connections 8000; }
http {
	access_log off;
	server { listen 127.0.0.1:14081; location / { return 200 "hello"; } }
}
END
nginx -p "$work" -c "$work/nginx.conf" &
pids+=($!)
cat >"$work/Caddyfile" <<END
{
	admin off
	auto_https off
	persist_config off
}
http://127.0.0.1:14080 {
	bind 127.0.0.1
	reverse_proxy 127.0.0.1:14081
}
END
wait_for 14081
record caddy run --adapter caddyfile --config "$work/Caddyfile"
wait_for 14080
url=http://127.0.0.1:14080
export PAUSE_LEAST=5000 PAUSE_MOST=30000
run_for 60 wrk --threads 2 --connections 10000 --duration 40s --timeout 40s --script "$root/recordings/pause.lua" $url
for _ in 1 2 3 4; do
	wrk --threads 1 --connections 20 --duration 1s --header "Connection: close" $url
	sleep 9
done
sleep 1
finish caddy
