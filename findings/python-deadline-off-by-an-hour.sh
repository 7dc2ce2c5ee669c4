#!/usr/bin/env bash
# Python: the time between two aware datetimes is off by an hour on the night on which the clocks change.
#
# Guess: datetimes with a time zone are instants, so "deadline - now" is the time that is left, as Go's Sub and
# java.time.Duration.between say; that is what "aware" is for.
# Seen: if both have the same tzinfo object, subtraction and comparison ignore the zone and work on the numbers of the wall clock. Noon to
# noon is 24 hours on a day of 23. Two zones, or UTC, give the right answer, so the result depends on where the values come from.
# Adding an hour to 01:30 gives 02:30, two hours later. In the hour that comes twice, an earlier time compares as later.
# Whom it hurts: schedulers and timeouts that sleep for deadline - now in local time: an hour too long or too short, twice a year.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
dpkg -s python3 tzdata >/dev/null 2>&1 || apt-get install -y -qq python3 tzdata >/dev/null

cat >main.py <<'PY'
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

zone = ZoneInfo("America/New_York")
hour = timedelta(hours=1)

def real(begin, end):
    return end.astimezone(timezone.utc) - begin.astimezone(timezone.utc)

now, deadline = datetime(2027, 3, 13, 12, tzinfo=zone), datetime(2027, 3, 14, 12, tzinfo=zone)
print(f"{now} to {deadline}: deadline - now is {deadline - now}, in UTC {real(now, deadline)}")
other = deadline.astimezone(ZoneInfo("America/Toronto"))
print(f"the same deadline as {other.tzinfo}: {other - now}")
half = datetime(2027, 11, 7, 1, 30, tzinfo=zone)
later = half + hour
print(f"{half} + 1 h is {later}, {real(half, later)} later")
first = datetime(2027, 11, 7, 1, 45, tzinfo=zone)
second = datetime(2027, 11, 7, 1, 15, fold=1, tzinfo=zone)
print(f"{first} > {second}: {first > second}, though it is {real(first, second)} earlier")

ok = deadline - now == 24 * hour and real(now, deadline) == 23 * hour and other - now == 23 * hour
ok = ok and real(half, later) == 2 * hour and first > second and real(first, second) == hour / 2
if not ok:
    print("CHANGED: 24 h, 23 h by another zone, 2 h, and a wrong order were seen")
sys.exit(not ok)
PY
/usr/bin/python3 --version
/usr/bin/python3 main.py
