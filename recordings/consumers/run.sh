#!/usr/bin/env bash
# Records nats-server with 100,000 consumers of JetStream. Each has a timer that deletes it when nobody asks it for
# messages, one that waits for the acknowledgement of a message, and a ticker. The server takes some 5 GB.
title="nats-server v2.15.2 with many consumers"
module=github.com/nats-io/nats-server/v2@v2.15.2
licence=Apache-2.0
each=10000 most=3000000
load="10 clients (natscli v0.5.1). Each creates $each pull consumers of JetStream that end after 10 minutes without a request, and asks each \
for a message, which it does not acknowledge within 5 minutes"
. "$(dirname "$0")/../lib.sh"
program consumers .
loader nats-bench github.com/nats-io/natscli@v0.5.1 ./nats

printf 'host: 127.0.0.1\nport: 14322\njetstream {store_dir: "%s/js", max_mem: 8G}\n' "$work" >"$work/conf"
record consumers --config "$work/conf"
wait_for 14322
ask=("$bin/nats-bench" --no-context -s nats://127.0.0.1:14322 request --raw)
"${ask[@]}" '$JS.API.STREAM.CREATE.S' '{"name": "S", "subjects": ["s"], "storage": "memory", "max_consumers": 1000000}' >"$work/load.log"
"${ask[@]}" s hello >>"$work/load.log"
clients=()
for i in $(seq 10); do
	(
		"${ask[@]}" "\$JS.API.CONSUMER.CREATE.S.c$i-{{Count}}" '{"stream_name": "S", "config": {"name": "c'"$i"'-{{Count}}",
			"ack_policy": "explicit", "ack_wait": 300000000000, "mem_storage": true, "inactive_threshold": 600000000000}}' --count "$each"
		"${ask[@]}" "\$JS.API.CONSUMER.MSG.NEXT.S.c$i-{{Count}}" '{"batch": 1, "expires": 5000000000}' --count "$each"
	) >"$work/load-$i.log" 2>&1 &
	clients+=($!)
done
wait "${clients[@]}"
sleep 5
finish consumers
