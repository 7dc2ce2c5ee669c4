#!/usr/bin/env bash
# Celery beat: a crontab task of three o'clock runs at ten, when beat starts.
#
# Guess: crontab(hour=3, minute=0) is like a line of crontab: if nothing was running at three, the run is missed.
# Seen: beat keeps the time of the last run in its schedule file, and a task that should have run since then is due at once,
# once. After an upgrade in the morning the nightly task runs at the busiest hour. Where the file is lost, as in a new
# container, the same start runs nothing.
# Whom it hurts: whoever stops beat for a night, or a week, so that a task does not run.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
dpkg -s python3-celery >/dev/null 2>&1 || apt-get install -y -qq python3-celery >/dev/null

cat >main.py <<'PY'
import sys
from datetime import datetime, timedelta, timezone
import celery
from celery.beat import PersistentScheduler
from celery.schedules import crontab

now = datetime.now(timezone.utc)
three = (now - timedelta(hours=7)).replace(second=0, microsecond=0)  # the hour of the task: seven hours ago, whatever it is now
sent = []

def start():
    """Starts beat once, with the file that an earlier beat has left, and returns whether it sends the task."""
    app = celery.Celery(broker="memory://")
    app.conf.timezone = "UTC"
    app.conf.beat_schedule = {"nightly": {"task": "nightly", "schedule": crontab(hour=three.hour, minute=three.minute, app=app)}}
    scheduler = PersistentScheduler(app, schedule_filename="schedule")
    sent.clear()
    scheduler.apply_async = lambda entry, **_: sent.append(entry.name) or scheduler.reserve(entry)
    scheduler.apply_entry = lambda entry, producer=None: scheduler.apply_async(entry)
    scheduler.tick()
    for entry in scheduler.schedule.values():
        entry.last_run_at = three - timedelta(days=1)  # what a beat that was stopped before the run of tonight leaves
    scheduler.sync()
    scheduler.close()
    return "nightly" in sent

fresh, again = start(), start()
print("celery", celery.__version__)
print("start without a schedule file: runs", fresh)
print("start seven hours late:        runs", again, "(expected False)")
if (fresh, again) != (False, True):
    print("CHANGED: False and True were seen")
    sys.exit(1)
PY
/usr/bin/python3 -W ignore main.py
