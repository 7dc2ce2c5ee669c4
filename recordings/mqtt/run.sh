#!/usr/bin/env bash
# Records mochi-mqtt: a broker with many quiet clients and some that publish.
title="mochi-mqtt v2.7.9"
module=github.com/mochi-mqtt/server/v2@v2.7.9
licence=MIT
load="mosquitto-clients for 60 s: 1,000 subscribers, each to one of 50 topics, with a keep-alive of 10 s, and 50 publishers \
that send 2 messages a second, all of which are acknowledged"
. "$(dirname "$0")/../lib.sh"
needs mosquitto_sub mosquitto-clients
program mqtt ./cmd

record mqtt --tcp 127.0.0.1:14883 --ws 127.0.0.1:14882 --info 127.0.0.1:14884
wait_for 14883
for i in $(seq 1000); do
	run_for 60 mosquitto_sub -p 14883 -k 10 -q 1 -t news/$((i % 50))
done
for i in $(seq 50); do
	(while sleep 0.5; do echo hello; done) | timeout 50 mosquitto_pub -p 14883 -k 10 -q 1 -t "news/$i" -l &
done
sleep 51
finish mqtt
