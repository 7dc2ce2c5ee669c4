#!/usr/bin/env bash
# MariaDB: NOW() + INTERVAL 5 MINUTE is 65 minutes away in the autumn night, and an error in the spring night.
#
# Guess: a TIMESTAMP column holds an instant (UTC inside), and NOW() is one, so a lease until NOW() + INTERVAL 5 MINUTE lasts five minutes
# in each time zone, as it does with a timestamptz of PostgreSQL.
# Seen: NOW() alone is stored as the instant. A sum is a text of the wall clock, which is read again when it is stored. In the first of the two
# hours from 2 to 3 in autumn, each sum counts as in the second: an hour too long. In spring, sums that fall between 2 and 3 do not
# exist: the strict mode, the default, refuses the INSERT with "Incorrect datetime value" (1292). With time_zone '+00:00' all is right.
# Whom it hurts: job queues, locks and sessions in SQL on a server with a local zone: a job whose worker died stays locked for an hour in
# autumn; in spring jobs with a delay cannot be added, and leases not renewed, for as long as the delay, up to an hour.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill "$server" 2>/dev/null && wait "$server" || true; rm -rf "$dir"' EXIT
server=
command -v mariadbd >/dev/null || apt-get install -y -qq mariadb-server >/dev/null
[ -e /usr/share/zoneinfo/Europe/Berlin ] || apt-get install -y -qq tzdata >/dev/null
user=$(id -un)
mariadb-install-db --no-defaults --datadir="$dir/data" --user="$user" --auth-root-authentication-method=normal >/dev/null 2>&1
TZ=Europe/Berlin mariadbd --no-defaults --datadir="$dir/data" --user="$user" --skip-networking --socket="$dir/sock" --pid-file="$dir/pid" 2>"$dir/log" &
server=$!
sql() { mariadb --no-defaults --socket="$dir/sock" -uroot -N "$@"; }
until sql -e 'SELECT 1' >/dev/null 2>&1; do sleep 0.2; done
sql -e 'CREATE DATABASE d; CREATE TABLE d.lease (expires TIMESTAMP NOT NULL)'
sql -e 'SELECT CONCAT("MariaDB ", VERSION(), ", time_zone ", @@time_zone, " (Europe/Berlin), sql_mode ", @@sql_mode)'

# lease ZONE TIME SUM: stores SUM at the time TIME, in UTC, and prints how many seconds away it is. SET timestamp stands for the clock.
lease() {
	sql d 2>&1 <<SQL || true
SET time_zone = '$1', timestamp = $(date -u -d "$2" +%s);
DELETE FROM lease;
INSERT INTO lease VALUES ($3);
SELECT UNIX_TIMESTAMP(expires) - UNIX_TIMESTAMP() FROM lease;
SQL
}
changed=
while IFS='|' read -r zone time sum expected; do
	seen=$(lease "$zone" "$time" "$sum")
	case $seen in *ERROR*) seen="error $(grep -oE 'ERROR [0-9]+' <<<"$seen" | cut -d' ' -f2)" ;; esac
	printf '%-7s %s UTC: %-25s gives %s\n' "$zone" "$time" "$sum" "$seen"
	[ "$seen" = "$expected" ] || changed+="$zone $time $sum: $seen, not $expected. "
done <<'END'
SYSTEM|2027-10-30 00:20|NOW() + INTERVAL 5 MINUTE|300
SYSTEM|2027-10-31 00:20|NOW()|0
SYSTEM|2027-10-31 00:20|NOW() + INTERVAL 5 MINUTE|3900
SYSTEM|2027-10-31 00:50|NOW() + INTERVAL 5 MINUTE|3900
SYSTEM|2027-10-31 01:20|NOW() + INTERVAL 5 MINUTE|300
SYSTEM|2027-03-28 00:57|NOW() + INTERVAL 5 MINUTE|error 1292
SYSTEM|2027-03-28 01:00|NOW() + INTERVAL 5 MINUTE|300
+00:00|2027-10-31 00:20|NOW() + INTERVAL 5 MINUTE|300
+00:00|2027-03-28 00:57|NOW() + INTERVAL 5 MINUTE|300
END
[ -z "$changed" ] || { echo "CHANGED: $changed"; exit 1; }
