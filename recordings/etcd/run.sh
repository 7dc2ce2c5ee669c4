#!/usr/bin/env bash
# Records etcd: one member, under writes, reads, watches and leases.
title="etcd v3.7.3"
module=go.etcd.io/etcd/server/v3@v3.7.3
licence=Apache-2.0
load="etcd's tools/benchmark v3.6.8 for 40 s: 500 clients on 100 connections that put 1,000 keys a second, \
200 that read 1,000 a second, 50 watched keys with 1,000 watchers, 20 leases kept alive"
. "$(dirname "$0")/../lib.sh"
program etcd .
loader etcd-benchmark go.etcd.io/etcd/v3@v3.6.8 ./tools/benchmark

record etcd --data-dir "$work/etcd" --log-level error \
	--listen-client-urls http://127.0.0.1:14379 --advertise-client-urls http://127.0.0.1:14379 \
	--listen-peer-urls http://127.0.0.1:14380 --initial-advertise-peer-urls http://127.0.0.1:14380 \
	--initial-cluster default=http://127.0.0.1:14380
wait_for 14379
bench=("$bin/etcd-benchmark" --endpoints 127.0.0.1:14379)
run_for 40 "${bench[@]}" put --clients 500 --conns 100 --rate 1000 --total 100000 --key-space-size 10000 --sequential-keys
run_for 40 "${bench[@]}" range k --clients 200 --conns 50 --rate 1000 --total 100000
run_for 40 "${bench[@]}" watch --clients 100 --conns 20 --streams 10 --watch-per-stream 10 --watched-key-total 50 --put-rate 50 --put-total 100000
run_for 40 "${bench[@]}" lease-keepalive --clients 20 --conns 20 --total 4000
sleep 41
finish etcd
