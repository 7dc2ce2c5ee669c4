#!/usr/bin/env bash
# Mosquitto: a message with an expiry of zero seconds lives for ever.
#
# Guess: MQTT 5 has a property for "no expiry": leaving it out. So an expiry interval of 0 is a message that is too old already:
# delivered to those who are there, and kept for nobody.
# Seen: the broker takes 0 as "none": a retained message with an expiry of 0 is still there after those with one second are gone.
# Whom it hurts: gateways that publish with what is left of a deadline, in whole seconds: the message that has less than a second
# left is the one that stays, and a device that connects next week obeys it.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill "$broker" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
if ! command -v mosquitto >/dev/null || ! command -v mosquitto_pub >/dev/null; then
	apt-get install -y -qq --no-install-recommends mosquitto mosquitto-clients >/dev/null
fi
port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
printf 'listener %d 127.0.0.1\nallow_anonymous true\n' "$port" >mosquitto.conf
mosquitto -c mosquitto.conf >/dev/null 2>&1 &
broker=$!
publish() { mosquitto_pub -p "$port" -V 5 -t "door/$1" -m "open, expiry $1" -r -D publish message-expiry-interval "$1"; }
until publish 1000 2>/dev/null; do sleep 0.1; done

publish 0
publish 1
publish 2
sleep 4
mosquitto_sub -p "$port" -V 5 -t 'door/#' -W 3 -F '%p' >seen 2>/dev/null || true # 27: nothing more came within three seconds
mosquitto -h | head -1 || true
echo "retained messages after four seconds, of those with an expiry of 0, 1, 2 and 1000 s:"
sort seen
if [ "$(sort seen | tr '\n' ';')" != 'open, expiry 0;open, expiry 1000;' ]; then
	echo "CHANGED: 0 and 1000 were seen"
	exit 1
fi
