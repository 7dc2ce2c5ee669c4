#!/usr/bin/env bash
# Records nats-server: subscribers, paced publishers and requests, and consumers of JetStream.
title="nats-server v2.15.2"
module=github.com/nats-io/nats-server/v2@v2.15.2
licence=Apache-2.0
load="nats bench (natscli v0.5.1) for 40 s: 400 publishers that pause for a second, 20 subscribers, \
100 clients that ask 4 services, 20 that publish to JetStream and 20 that fetch from it"
. "$(dirname "$0")/../lib.sh"
program nats .
loader nats-bench github.com/nats-io/natscli@v0.5.1 ./nats

record nats --addr 127.0.0.1 --port 14222 --jetstream --store_dir "$work/js"
wait_for 14222
bench=("$bin/nats-bench" --no-context -s nats://127.0.0.1:14222 bench)
run_for 40 "${bench[@]}" sub news --clients 20 --no-progress --msgs 100000000
run_for 40 "${bench[@]}" service serve ask --clients 4 --no-progress
sleep 1
run_for 38 "${bench[@]}" pub news --clients 400 --sleep 1s --no-progress --msgs 100000
run_for 38 "${bench[@]}" service request ask --clients 100 --sleep 500ms --no-progress --msgs 100000
run_for 37 "${bench[@]}" js pub async jobs.new --create --clients 20 --sleep 100ms --no-progress --msgs 100000
sleep 2
run_for 35 "${bench[@]}" js fetch --clients 20 --batch 10 --no-progress --msgs 100000
sleep 36
finish nats
