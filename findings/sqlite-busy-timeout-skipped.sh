#!/usr/bin/env bash
# SQLite: with a busy timeout of five seconds, "database is locked" comes at once.
#
# Guess: busy_timeout = 5000 makes each statement that meets a lock wait for up to five seconds.
# Seen: a transaction that has read, and now wants to write, does not wait. In WAL mode it fails at once if anybody has written since
# it read (SQLITE_BUSY_SNAPSHOT); in the default mode it fails at once if another connection holds the write lock, since the
# two could wait for each other. BEGIN IMMEDIATE waits in both.
# Whom it hurts: job queues on SQLite that SELECT the next job and UPDATE it in one transaction: errors under load only, and no longer
# timeout helps.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
[ -x /usr/bin/python3 ] || apt-get install -y -qq python3 >/dev/null

cat >main.py <<'PY'
import sqlite3, sys, time

TIMEOUT = 2

def failure(statement, connection):
    """Runs a statement; returns the error, if any, and the seconds that it took."""
    begin = time.monotonic()
    try:
        connection.execute(statement)
        error = "none"
    except sqlite3.OperationalError as e:
        error = getattr(e, "sqlite_errorname", str(e))
    return error, time.monotonic() - begin

changed = False
for mode in "wal", "delete":
    name = mode + ".db"
    worker, other = (sqlite3.connect(name, timeout=TIMEOUT, isolation_level=None) for _ in range(2))
    worker.execute("PRAGMA journal_mode = " + mode)
    worker.execute("CREATE TABLE job (state TEXT)")
    worker.execute("INSERT INTO job VALUES ('ready')")

    worker.execute("BEGIN")
    worker.execute("SELECT * FROM job").fetchall()
    if mode == "wal":
        other.execute("UPDATE job SET state = 'seen'")  # committed: no lock is held any more
        holder = "nobody"
    else:
        other.execute("BEGIN IMMEDIATE")
        holder = "another connection"
    error, took = failure("UPDATE job SET state = 'running'", worker)
    print(f"{mode:6} {holder} holds the write lock, UPDATE after SELECT: {error} after {took:.3f} s")
    changed |= error == "none" or took > TIMEOUT / 2
    worker.execute("ROLLBACK")

    if mode == "wal":
        other.execute("BEGIN IMMEDIATE")
    error, took = failure("BEGIN IMMEDIATE", worker)
    print(f"{mode:6} another connection holds the write lock, BEGIN IMMEDIATE: {error} after {took:.3f} s")
    changed |= error == "none" or took < TIMEOUT / 2
if changed:
    print("CHANGED: UPDATE failed at once and BEGIN IMMEDIATE after the timeout")
sys.exit(changed)
PY
echo "SQLite $(/usr/bin/python3 -c 'import sqlite3; print(sqlite3.sqlite_version)'), timeout 2 s"
/usr/bin/python3 main.py
