#!/usr/bin/env bash
# Mosquitto: a restart of the broker announces the death of all clients, those whose will is to wait for ten minutes too.
#
# Guess: a will with a delay of 600 s is published when its client has been away for ten minutes, that is what the delay is for. An orderly
# restart takes a second, clients connect again, and with persistence nobody hears of it; at worst the wills are lost.
# Seen (2.0.11): on an orderly end the broker publishes the will of every client at once, whether it is connected or has been away for a moment,
# and whatever its delay is. Sessions that are kept get them after the restart, and a retained will stays until somebody
# replaces it, though its client is back and obeys commands.
# Whom it hurts: fleets that show "offline" by a will: each update of the broker is an alarm for all devices at once, and whatever waits for
# a death (a failover, a job that is handed to another device, a door that locks) happens, while the device works on.
set -euo pipefail
dir=$(mktemp -d)
command -v mosquitto >/dev/null || apt-get install -y -qq mosquitto >/dev/null
command -v mosquitto_sub >/dev/null || apt-get install -y -qq mosquitto-clients >/dev/null
socket=$dir/socket
printf 'listener 0 %s\nallow_anonymous true\npersistence true\npersistence_location %s/\n' "$socket" "$dir" >"$dir/conf"
chmod 777 "$dir"
broker=
devices=()
trap 'kill "${devices[@]}" "$broker" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT

start() {
	rm -f "$socket"
	mosquitto -c "$dir/conf" 2>>"$dir/log" &
	broker=$!
	until [ -S "$socket" ]; do sleep 0.1; done
}
# device NAME [ARGUMENT...]: a client that stays connected, connects again by itself, and writes the commands that it gets to NAME.
device() {
	mosquitto_sub --unix "$socket" -V 5 -x 3600 -i "$1" -t command -q 1 --will-topic "status/$1" --will-payload dead --will-qos 1 --will-retain \
		"${@:2}" >"$dir/$1" 2>/dev/null &
	devices+=($!)
}
# watch: what the watcher, whose session is kept, has been sent in the meantime.
watch() { timeout 3 mosquitto_sub --unix "$socket" -V 5 -c -x 3600 -i watcher -t 'status/#' -q 1 -F '%t' | sort -u | tr '\n' ' ' || true; }

start
{ mosquitto -h || true; } | head -n 1
watch >/dev/null
device connected
device patient -D WILL will-delay-interval 600
device away -D WILL will-delay-interval 600
sleep 4
kill -9 "${devices[2]}" # it has lost its network, and would be back within a minute
sleep 4
before=$(watch)
echo "declared dead before the restart: ${before:-nobody}"

kill "$broker"
wait "$broker" 2>/dev/null || true
start
for _ in $(seq 60); do # until both are back
	mosquitto_pub --unix "$socket" -V 5 -t command -q 1 -m open
	[ ! -s "$dir/connected" ] || [ ! -s "$dir/patient" ] || break
	sleep 1
done
after=$(watch)
alive=$(cd "$dir" && for name in connected patient; do [ ! -s $name ] || echo $name; done | tr '\n' ' ')
echo "declared dead after it: ${after:-nobody}"
echo "obey a command after it: $alive"
[ "$before|$after|$alive" = "|status/away status/connected status/patient |connected patient " ] || { echo "CHANGED: all three were declared dead by the restart"; exit 1; }
