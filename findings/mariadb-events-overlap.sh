#!/usr/bin/env bash
# MariaDB: an event that takes longer than its period runs several times at once.
#
# Guess: the scheduler runs an event EVERY 1 SECOND again when the last run has ended, or leaves out runs, as most schedulers do for one job.
# Seen: it starts a run at each second, each in a thread of its own. An event that takes three seconds has three runs at the
# same time, from the third second on.
# Whom it hurts: events that move rows in batches: when the table grows, runs overlap, wait for each other's locks, and take longer still.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill "$server" 2>/dev/null && wait "$server" || true; rm -rf "$dir"' EXIT
server=
command -v mariadbd >/dev/null || apt-get install -y -qq mariadb-server >/dev/null
user=$(id -un)
mariadb-install-db --no-defaults --datadir="$dir/data" --user="$user" --auth-root-authentication-method=normal >/dev/null 2>&1
mariadbd --no-defaults --datadir="$dir/data" --user="$user" --skip-networking --socket="$dir/sock" --pid-file="$dir/pid" --event-scheduler=ON 2>"$dir/log" &
server=$!
sql() { mariadb --no-defaults --socket="$dir/sock" -uroot -N "$@"; }
until sql -e 'SELECT 1' >/dev/null 2>&1; do sleep 0.2; done
sql -e 'SELECT CONCAT("MariaDB ", VERSION())'
sql <<'SQL'
CREATE DATABASE d;
USE d;
CREATE TABLE runs (id INT AUTO_INCREMENT PRIMARY KEY, started DATETIME(3), ended DATETIME(3));
DELIMITER //
CREATE EVENT batch ON SCHEDULE EVERY 1 SECOND DO BEGIN
  INSERT INTO runs (started) VALUES (SYSDATE(3));
  SET @id = LAST_INSERT_ID();
  DO SLEEP(3);
  UPDATE runs SET ended = SYSDATE(3) WHERE id = @id;
END//
SQL
sleep 7
sql d -e 'DROP EVENT batch'
sleep 4
sql d -e 'SELECT id, TIME(started), TIME(ended) FROM runs'
most=$(sql d -e 'SELECT MAX(n) FROM (SELECT COUNT(*) n FROM runs a JOIN runs b ON b.started <= a.started AND b.ended > a.started GROUP BY a.id) x')
echo "at most $most runs at the same time"
[ "$most" -ge 2 ] || { echo "CHANGED: no two runs overlap"; exit 1; }
