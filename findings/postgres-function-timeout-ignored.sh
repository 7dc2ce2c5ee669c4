#!/usr/bin/env bash
# PostgreSQL: a function with "SET statement_timeout = '300ms'" runs for two seconds, and one that sets it to 0 is canceled.
#
# Guess: CREATE FUNCTION ... SET statement_timeout, and SET LOCAL within a DO block, limit what follows, as SET work_mem does, or
# the server says that it can't be set there.
# Seen: the timer starts when the statement of the client comes, with the value of then. A change within the statement is kept, shown by
# SHOW, and has no effect on it. So a limit of 300 ms lets two seconds pass, and 0, "no limit", for the one long job of a session
# with a limit does not save it. Only a SET that is a statement of its own, before the call, counts.
# Whom it hurts: jobs of cron and queues whose functions and procedures carry their limits with them: a run that hangs on a lock hangs for
# ever, and the nightly report that lifted its limit is canceled all the same.
set -euo pipefail
dir=$(mktemp -d)
find_bin() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1; }
bin=$(find_bin)
[ -n "$bin" ] || { apt-get install -y -qq postgresql >/dev/null; bin=$(find_bin); }
as=()
if [ "$(id -u)" = 0 ]; then
	chown postgres "$dir"
	as=(runuser -u postgres --)
fi
cd "$dir"
trap '"${as[@]}" "$bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null 2>&1 || true; wait; rm -rf "$dir"' EXIT
"${as[@]}" "$bin/initdb" -D "$dir/data" -U app -A trust >/dev/null 2>&1
"${as[@]}" "$bin/pg_ctl" -D "$dir/data" -o "-k $dir -c listen_addresses=" -l "$dir/log" -w start >/dev/null
sql() { "$bin/psql" -h "$dir" -U app -d postgres -qAt "$@"; }

"$bin/postgres" --version
sql <<'SQL'
CREATE FUNCTION limited() RETURNS text LANGUAGE plpgsql SET statement_timeout = '300ms' AS $$
BEGIN PERFORM pg_sleep(2); RETURN 'ended by itself, with statement_timeout ' || current_setting('statement_timeout'); END $$;
CREATE FUNCTION unlimited() RETURNS text LANGUAGE plpgsql SET statement_timeout = 0 AS $$
BEGIN PERFORM pg_sleep(2); RETURN 'ended by itself, with statement_timeout ' || current_setting('statement_timeout'); END $$;
SQL
# answer SETTING SQL: the answer or the error of one statement, in a session with that setting.
answer() { sql -c "SET $1" -c "$2" 2>&1 | head -n 1 || true; }

changed=
while IFS='|' read -r setting statement expected; do
	seen=$(answer "$setting" "$statement")
	echo "SET $setting; $statement: $seen"
	[[ $seen == *"$expected"* ]] || changed+="$statement after SET $setting: $seen. "
done <<'END'
statement_timeout = 0|SELECT limited()|ended by itself, with statement_timeout 300ms
statement_timeout = 0|DO $$ BEGIN SET LOCAL statement_timeout = '300ms'; PERFORM pg_sleep(2); RAISE WARNING 'ended by itself'; END $$|ended by itself
statement_timeout = '300ms'|SELECT unlimited()|canceling statement due to statement timeout
statement_timeout = '300ms'|SELECT pg_sleep(2)|canceling statement due to statement timeout
END
[ -z "$changed" ] || { echo "CHANGED: $changed"; exit 1; }
