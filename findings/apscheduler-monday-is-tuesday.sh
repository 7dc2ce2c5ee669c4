#!/usr/bin/env bash
# APScheduler: a crontab line for Monday to Friday runs from Tuesday to Saturday.
#
# Guess: CronTrigger.from_crontab, "a standard crontab expression", reads weekdays as crontab(5) does: 0 or 7 is Sunday, 1 is Monday.
# Seen: it hands the field to a trigger that counts from Monday as 0. 1-5 is Tuesday to Saturday, 0 is Monday, 7 is refused; names of
# days are right. Two day fields must both match, where crontab wants either, so "13 * 5" is each Saturday the 13th.
# Whom it hurts: whoever moves lines from crontab: Monday's report comes on Tuesday, and Friday's backup on Saturday.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
dpkg -s python3-apscheduler >/dev/null 2>&1 || apt-get install -y -qq python3-apscheduler >/dev/null
dpkg-query -W -f '${Package} ${Version}\n' python3-apscheduler

cat >main.py <<'PY'
import sys
from datetime import datetime, timezone
from apscheduler.triggers.cron import CronTrigger

changed = False
for line, expected, seen in (
    ("0 9 * * 1-5", "Mon 4, Tue 5, Wed 6, Thu 7, Fri 8", "Tue 5, Wed 6, Thu 7, Fri 8, Sat 9"),
    ("0 9 * * mon-fri", "Mon 4, Tue 5, Wed 6, Thu 7, Fri 8", "Mon 4, Tue 5, Wed 6, Thu 7, Fri 8"),
    ("0 9 * * 0", "Sun 10, Sun 17, Sun 24, Sun 31, Sun 7", "Mon 4, Mon 11, Mon 18, Mon 25, Mon 1"),
    ("0 9 * * 7", "Sun 10, Sun 17, Sun 24, Sun 31, Sun 7", "refused"),
    ("0 9 13 * 5", "Fri 8, Wed 13, Fri 15, Fri 22, Fri 29", "Sat 13, Sat 13, Sat 13, Sat 13, Sat 13"),
):
    last, now, runs = None, datetime(2027, 1, 3, 12, tzinfo=timezone.utc), []
    try:
        trigger = CronTrigger.from_crontab(line, timezone.utc)
        for _ in range(5):
            last = now = trigger.get_next_fire_time(last, now)
            runs.append(f"{last:%a} {last.day}")
        got = ", ".join(runs)
    except ValueError:
        got = "refused"
    print(f"{line:16} after Sunday, 3 January 2027: {got} (expected {expected})")
    changed |= got != seen
if changed:
    sys.exit("CHANGED: other runs were seen")
PY
/usr/bin/python3 -W ignore main.py
