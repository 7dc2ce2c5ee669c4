#!/usr/bin/env bash
# PostgreSQL: age(now(), created) > interval '30 days' is true after 28 days in February, and with '365 days' after 370 or 371 days.
#
# Guess: age(now, created) is the time since created, like now - created, so a row is older than 30 days after 30 days, give or take an
# hour where the clocks change.
# Seen: age counts whole months of the calendar first, and a comparison takes each month for 30 days and a year for 360. February is
# 28 days and compares as 30: a row of 1 February is older than 30 days on 1 March. July to September are 92 days and compare as 90:
# 90 days take 89 to 92. A year and five days compare as 365, so a year takes 370 or 371. now - created is right for each row.
# Whom it hurts: jobs that delete or expire by age: trials that end early in March, and data that is kept longer than the law allows.
set -euo pipefail
dir=$(mktemp -d)
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$bin" ] || { apt-get install -y -qq postgresql >/dev/null; bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1); }
as=()
if [ "$(id -u)" = 0 ]; then
	chown postgres "$dir"
	as=(runuser -u postgres --)
fi
cd "$dir"
trap '"${as[@]}" "$bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$dir"' EXIT
"${as[@]}" "$bin/initdb" -D "$dir/data" -A trust >/dev/null 2>&1
"${as[@]}" "$bin/pg_ctl" -D "$dir/data" -o "-k $dir -c listen_addresses=" -l "$dir/log" -w start >/dev/null
sql() { "${as[@]}" "$bin/psql" -h "$dir" -d postgres -qAt -F ' ' -c "SET timezone = 'UTC'; $1"; }

# hours EXPRESSION LIMIT: the shortest and the longest time after which EXPRESSION > LIMIT, for rows created at the midnights of 2027.
hours() {
	sql "SELECT min(h), max(h) FROM (SELECT (SELECT min(n) FROM generate_series(24 * (EXTRACT(day FROM interval '$2')::int - 5),
		24 * (EXTRACT(day FROM interval '$2')::int + 10)) n, LATERAL (SELECT created + n * interval '1 hour' AS now) t
		WHERE $1 > interval '$2') h FROM generate_series(timestamptz '2027-01-01', '2027-12-31', '1 day') created) x"
}

sql 'SHOW server_version'
changed=
while read -r limit age; do
	seen=$(hours 'age(now, created)' "$limit days")
	plain=$(hours 'now - created' "$limit days")
	awk -v l="$limit" -v a="$seen" -v p="$plain" 'BEGIN { split(a, x); split(p, y)
		printf "older than %s days: age() after %.2f to %.2f days; now - created after %.2f to %.2f\n", l, x[1]/24, x[2]/24, y[1]/24, y[2]/24 }'
	[ "$seen" = "$age" ] || changed+="$limit days by age() took $seen hours, not $age. "
	[ "$plain" = "$((24 * limit + 1)) $((24 * limit + 1))" ] || changed+="$limit days by subtraction took $plain hours. "
done <<'END'
30 673 721
90 2137 2209
365 8881 8905
END
[ -z "$changed" ] || { echo "CHANGED: $changed"; exit 1; }
