#!/usr/bin/env bash
# Mosquitto: a session that is to end three seconds after its client has gone does not end once the broker has been restarted.
#
# Guess: with persistence the broker stores each session with its expiry, so after a restart an absent client has what was left of it, or, at
# worst, the whole interval again: 3 s, or a day.
# Seen (2.0.11): the sessions that a restart has read do not expire while they are absent. A session of three seconds still collects messages
# after twenty, and delivers all of them when its client comes back. Only the next end of a connection of the same client
# starts the interval again. Without a restart the session is gone after three seconds.
# Whom it hurts: brokers whose clients draw their names at random and rely on the expiry (browsers, phones, jobs): each restart turns all
# sessions that are offline at that moment into queues of up to a thousand messages that nobody ever asks for; and a
# device that was off for a month obeys commands that were to be forgotten after seconds.
set -euo pipefail
dir=$(mktemp -d)
command -v mosquitto >/dev/null || apt-get install -y -qq mosquitto >/dev/null
command -v mosquitto_sub >/dev/null || apt-get install -y -qq mosquitto-clients >/dev/null
socket=$dir/socket
printf 'listener 0 %s\nallow_anonymous true\npersistence true\npersistence_location %s/\n' "$socket" "$dir" >"$dir/conf"
chmod 777 "$dir"
broker=
trap 'kill "$broker" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT

start() {
	rm -f "$socket"
	mosquitto -c "$dir/conf" 2>>"$dir/log" &
	broker=$!
	until [ -S "$socket" ]; do sleep 0.1; done
}
# connect NAME: connects with a session of three seconds, prints the messages that waited for it, and leaves after two seconds.
connect() { timeout 2 mosquitto_sub --unix "$socket" -V 5 -c -x 3 -i "$1" -t commands -q 1 || true; }
publish() { mosquitto_pub --unix "$socket" -V 5 -t commands -q 1 -m "$1"; }

start
{ mosquitto -h || true; } | head -n 1
connect control
sleep 12
publish open
control=$(connect control)
echo "without a restart, 12 s after the client has gone: ${control:-nothing}"

connect device
kill "$broker"
wait "$broker" || true
start
for i in 4 8 12 16 20; do
	sleep 4
	publish "open-$i"
done
device=$(connect device | tr '\n' ' ')
echo "after a restart: ${device:-nothing}"

connect device >/dev/null
sleep 12
publish open
again=$(connect device)
echo "after it came back and left again, 12 s later: ${again:-nothing}"
[ "$control,$device,$again" = ",open-4 open-8 open-12 open-16 open-20 ," ] || { echo "CHANGED: all five messages were seen after the restart"; exit 1; }
