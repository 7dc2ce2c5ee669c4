#!/usr/bin/env bash
# systemd: a timer that elapses each minute is silent for 61 minutes in autumn, or not, as the moment it is computed from decides.
#
# Guess: OnCalendar=minutely elapses each minute of every day. Where the clocks show an hour twice, each of its minutes comes twice, as
# with cron; a job at a fixed time, 01:30, may run once.
# Seen: the search for the next time goes from 01:59 of the first hour to 02:00, which is 61 minutes later: a time that is shown twice
# counts once. But a search that begins within the second hour finds each minute of it, so a machine that boots then has no gap.
# With "UTC" in the expression there is none, either. systemd-analyze asks the code that the timers use.
# Whom it hurts: watchdogs, queue runners and metrics on minutely, "*:0/5" or hourly timers in a local zone: an hour without a run, once a
# year, and whoever looks in that hour, from now on, is shown the next minute.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
command -v systemd-analyze >/dev/null || apt-get install -y -qq systemd >/dev/null
export TZ=America/New_York LC_ALL=C
systemd-analyze --version | head -n 1

# next BASE EXPRESSION: the two next times in UTC after BASE, a time in UTC of 7 November 2027. The second 01:00 is 06:00 UTC.
next() {
	systemd-analyze calendar --base-time="2027-11-07 $1 UTC" --iterations=2 "$2" >out
	grep -oE '[0-9:]{8} UTC$' out | cut -c 1-5 | sort -u | paste -sd ' '
}
changed=
while IFS='|' read -r base expression want; do
	seen=$(next "$base" "$expression")
	echo "$expression from $base UTC: $seen"
	[ "$seen" = "$want" ] || changed+="$expression from $base: $seen, was $want. "
done <<'END'
05:58:30|minutely|05:59 07:00
06:00:30|minutely|06:01 06:02
05:58:30|*:0/5|07:00 07:05
06:00:30|*:0/5|06:05 06:10
05:58:30|*-*-* *:*:00 UTC|05:59 06:00
END
[ -z "$changed" ] || { echo "CHANGED: $changed"; exit 1; }
