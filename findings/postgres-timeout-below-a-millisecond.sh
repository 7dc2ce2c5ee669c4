#!/usr/bin/env bash
# PostgreSQL: a timeout of half a millisecond or less is no timeout.
#
# Guess: SET statement_timeout = '400us' is refused or becomes the shortest timeout, 1 ms, since the server accepts the unit.
# Seen: the value is rounded to whole milliseconds, half to even, and 0 turns the timeout off: '0.5ms' waits for ever, without a
# notice; '0.6ms' is 1 ms. The same holds for lock_timeout and idle_in_transaction_session_timeout.
# Whom it hurts: a client that sends what is left of a deadline as the timeout of its statement or lock: the closer the
# deadline, the shorter the timeout, and at the very end it waits without a limit.
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
sql() { "${as[@]}" "$bin/psql" -h "$dir" -d postgres -qAtc "$1"; }

sql 'SHOW server_version'
for setting in statement_timeout lock_timeout idle_in_transaction_session_timeout; do
	for value in 400us 0.5ms 0.6ms 1ms; do
		seen=$(sql "SET $setting = '$value'; SHOW $setting")
		echo "$setting = '$value': $seen"
		case $value in 400us | 0.5ms) want=0 ;; *) want=1ms ;; esac
		[ "$seen" = "$want" ] || { echo "CHANGED: it was $want"; exit 1; }
	done
done
ended=$(sql "SET statement_timeout = '0.6ms'; SELECT pg_sleep(0.2)" 2>&1 || true)
slept=$(sql "SET statement_timeout = '0.5ms'; SELECT 'slept 200 ms' FROM pg_sleep(0.2)")
echo "pg_sleep(0.2) with 0.6 ms: $ended"
echo "pg_sleep(0.2) with 0.5 ms: $slept"
[[ $ended = *"statement timeout"* && $slept = "slept 200 ms" ]] || { echo "CHANGED"; exit 1; }
