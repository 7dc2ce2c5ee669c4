#!/usr/bin/env bash
# anacron: a job with a period of one day runs twice within three minutes.
#
# Guess: a period of 1 day means that at least a day lies between two runs, apart from the delay of a start.
# Seen: the stamp of a job holds a date and no time, and a day has passed when the date differs. A job that ran at 23:58 is due
# again at 00:00; a laptop that wakes up before and after midnight runs it twice in minutes, and then not for up to two days.
# Whom it hurts: backups and rotations that keep the last seven runs: a few late evenings push out days.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for package in anacron faketime; do
	command -v "$package" >/dev/null || apt-get install -y -qq "$package" >/dev/null
done
dpkg-query -W -f '${Package} ${Version}\n' anacron faketime
mkdir spool
echo "1 0 job date '+ran at %F %T' >>$dir/ran" >tab

for now in '2027-01-01 23:58:00' '2027-01-02 00:01:00' '2027-01-02 23:50:00'; do
	faketime "$now" anacron -d -n -t tab -S spool >log 2>&1
	echo "started at $now: $(grep -c 'started$' log || true) job"
done
cat ran
[ "$(cut -d' ' -f3-4 ran | tr '\n' ,)" = "2027-01-01 23:58:00,2027-01-02 00:01:00," ] || { echo "CHANGED: the runs are others"; exit 1; }
