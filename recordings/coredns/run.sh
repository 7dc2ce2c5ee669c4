#!/usr/bin/env bash
# Records CoreDNS: it forwards to another CoreDNS, which answers late or never.
title="CoreDNS v1.15.0"
module=github.com/coredns/coredns@v1.15.0
licence=Apache-2.0
load="dnsperf for 40 s: 20 clients with 1,000 queries a second; it forwards all to another CoreDNS, of whose answers \
half come 100 ms late and one in a hundred never"
. "$(dirname "$0")/../lib.sh"
needs dnsperf dnsperf
program coredns .

cat >"$work/upstream" <<END
.:14054 {
	bind 127.0.0.1
	erratic {
		drop 100
		delay 2 100ms
	}
}
END
cat >"$work/Corefile" <<END
.:14053 {
	bind 127.0.0.1
	forward . 127.0.0.1:14054
}
END
for i in $(seq 1000); do echo "host$i.example.org A"; done >"$work/queries"
"$store/rec/coredns" -conf "$work/upstream" >"$work/upstream.log" 2>&1 & # does not record
pids+=($!)
wait_for 14054
record coredns -conf "$work/Corefile"
wait_for 14053
dnsperf -s 127.0.0.1 -p 14053 -d "$work/queries" -c 20 -l 40 -Q 1000 -q 1000 >"$work/load.log"
finish coredns
