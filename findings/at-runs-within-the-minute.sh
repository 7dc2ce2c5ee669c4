#!/usr/bin/env bash
# at: "at now + 1 minute" runs after 1 to 60 seconds.
#
# Guess: a minute from now, or, since at has no seconds, at the first full minute after that: late by up to a minute.
# Seen: the seconds of now are dropped before the minute is added, so a job set at 12:00:49 runs at 12:01:00, 11 seconds
# later. What a delay promises to be the least is the most.
# Whom it hurts: scripts that allow somebody a minute (to log in again after a change of the firewall, to cancel a reboot) by
# a job of at that undoes the change: they may have a second.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill "$daemon" 2>/dev/null || true; atrm "${job:-0}" 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
command -v atd >/dev/null || apt-get install -y -qq at >/dev/null
daemon=0
pgrep -x atd >/dev/null || { atd -f >/dev/null 2>&1 & daemon=$!; }
dpkg-query -W -f '${Package} ${Version}\n' at

# Half a minute past a full minute, or later.
second=$((10#$(date +%S)))
[ "$second" -ge 30 ] && [ "$second" -lt 50 ] || sleep $(((90 - second) % 60))
set_at=$(date +%s)
job=$(echo "date +%s >'$dir/ran'" | at now + 1 minute 2>&1 | sed -n 's/^job \([0-9]*\) .*/\1/p')
until [ -s ran ]; do sleep 0.2; done
after=$(($(cat ran) - set_at))
echo "set at second $(date -d "@$set_at" +%S) of a minute, \"now + 1 minute\": it ran after $after s"
[ "$after" -le 45 ] || { echo "CHANGED: it ran at the next full minute"; exit 1; }
