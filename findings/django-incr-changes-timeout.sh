#!/usr/bin/env bash
# Django: cache.incr makes a window of two seconds one of five minutes, in the database and in files, but not in memory.
#
# Guess: cache.add(key, 0, timeout=2) and then cache.incr(key) count within a window that ends two seconds after its start: incr has no
# timeout argument, so it leaves the expiry alone, as INCR of Redis and incr of memcached do.
# Seen: the backends for the database and for files inherit an incr that reads the value and sets it anew with the default timeout of the cache,
# 300 s unless TIMEOUT says otherwise. Each incr moves the end: a counter that is counted once in five minutes never ends. With a
# TIMEOUT of one second, a counter for an hour is gone after a second. The backend for memory keeps the expiry.
# Whom it hurts: rate limits and locks after failed logins that are tested with the backend for memory, the default: in production on the
# database whoever tries again while blocked stays blocked; with a short TIMEOUT the limit is none.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
/usr/bin/python3 -c 'import django' 2>/dev/null || apt-get install -y -qq --no-install-recommends python3-django >/dev/null

cat >main.py <<'PY'
import sys
import time

import django
from django.conf import settings

backend = 'django.core.cache.backends.'
caches = {
    'default': {'BACKEND': backend + 'locmem.LocMemCache', 'LOCATION': 'a'},
    'memory': {'BACKEND': backend + 'locmem.LocMemCache', 'LOCATION': 'b'},
    'files': {'BACKEND': backend + 'filebased.FileBasedCache', 'LOCATION': 'files'},
    'database': {'BACKEND': backend + 'db.DatabaseCache', 'LOCATION': 'cache'},
}
for name in ('memory', 'files', 'database'):
    caches[name + ', TIMEOUT 1'] = {**caches[name], 'LOCATION': caches[name]['LOCATION'] + '1', 'TIMEOUT': 1}
settings.configure(
    CACHES=caches, USE_TZ=True,
    DATABASES={'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': 'db'}},
)
django.setup()
from django.core.cache import caches  # noqa: E402
from django.core.management import call_command  # noqa: E402

call_command('createcachetable')
print('Django', django.get_version(), 'Python', sys.version.split()[0])
names = [name for name in caches.settings if name != 'default']
for name in names:
    for window in (2, 3600):
        caches[name].add(f'hits{window}', 0, timeout=window)
        caches[name].incr(f'hits{window}')
time.sleep(4)
seen = {}
for name in names:
    seen[name] = tuple('there' if caches[name].get(f'hits{window}') else 'gone' for window in (2, 3600))
    print(f'{name}: after 4 s the counter for 2 s is {seen[name][0]}, the one for an hour is {seen[name][1]}')
expected = {
    'memory': ('gone', 'there'), 'files': ('there', 'there'), 'database': ('there', 'there'),
    'memory, TIMEOUT 1': ('gone', 'there'), 'files, TIMEOUT 1': ('gone', 'gone'), 'database, TIMEOUT 1': ('gone', 'gone'),
}
if seen != expected:
    print('CHANGED: expected', expected)
    sys.exit(1)
PY
/usr/bin/python3 main.py
