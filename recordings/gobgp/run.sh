#!/usr/bin/env bash
# Records GoBGP: a router with five peers that answer and fifty that do not.
title="gobgpd of GoBGP v4.8.0"
module=github.com/osrg/gobgp/v4@v4.8.0
licence=Apache-2.0 most=400000
load="five peers on the loopback, with keepalives every 3 s, and fifty addresses that refuse connections, for 60 s"
. "$(dirname "$0")/../lib.sh"
program gobgp ./cmd/gobgpd
loader gobgpd "$module" ./cmd/gobgpd

# router NUMBER writes the configuration of the router at 127.0.0.NUMBER.
router() {
	cat <<-END
		[global.config]
		as = $((65000 + $1))
		router-id = "10.0.0.$1"
		port = 14179
		local-address-list = ["127.0.0.$1"]
	END
}

# neighbor ADDRESS NUMBER OWN writes that the router at 127.0.0.OWN has a neighbor of AS 65000 + NUMBER.
neighbor() {
	cat <<-END
		[[neighbors]]
		[neighbors.config]
		neighbor-address = "$1"
		peer-as = $((65000 + $2))
		[neighbors.transport.config]
		local-address = "127.0.0.$3"
		remote-port = 14179
		[neighbors.timers.config]
		hold-time = 9
		keepalive-interval = 3
		connect-retry = 10
	END
}

{
	router 1
	for i in $(seq 2 6); do neighbor "127.0.0.$i" "$i" 1; done
	for i in $(seq 50); do neighbor "127.0.1.$i" "$((100 + i))" 1; done
} >"$work/1.toml"
record gobgp --config-file "$work/1.toml" --api-hosts 127.0.0.1:14180 --pprof-disable
wait_for 14179
for i in $(seq 2 6); do
	{ router "$i"; neighbor 127.0.0.1 1 "$i"; } >"$work/$i.toml"
	run_for 70 "$bin/gobgpd" --config-file "$work/$i.toml" --api-hosts "127.0.0.$i:14180" --pprof-disable
done
sleep 60
[ "$(grep -c "Peer Up" "$work/gobgp.log")" -ge 5 ]
finish gobgp
