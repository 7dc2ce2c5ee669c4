#!/usr/bin/env bash
# PgBouncer: two programs hold the same advisory lock of PostgreSQL, and after both have gone a third can't get it.
#
# Guess: pg_try_advisory_lock gives the lock to one client until it unlocks or its connection ends. PgBouncer is between, but the lock lives
# in PostgreSQL, so a second client is refused; at worst pool_mode=transaction refuses the function.
# Seen: the lock belongs to the session of the server, which PgBouncer gives to the next client after each transaction. The same session may
# take its lock again, so the second client hears "true", too. Each unlock takes one of the two back. If a client leaves without
# it, the lock stays with the pooled session: whoever gets another session is refused, though no client is left.
# Whom it hurts: schedulers, migrations and queues that elect a leader by an advisory lock, and then move behind PgBouncer: two leaders while
# the load is low and one session serves all, and none when it rises.
set -euo pipefail
dir=$(mktemp -d)
find_bin() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1; }
bin=$(find_bin)
[ -n "$bin" ] || { apt-get install -y -qq postgresql >/dev/null; bin=$(find_bin); }
command -v pgbouncer >/dev/null || apt-get install -y -qq --no-install-recommends pgbouncer >/dev/null
as=()
if [ "$(id -u)" = 0 ]; then
	chown postgres "$dir"
	as=(runuser -u postgres --)
fi
cd "$dir"
bouncer=
trap 'exec 3>&- 4>&- 5>&-; kill $bouncer 2>/dev/null || true
	"${as[@]}" "$bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null 2>&1 || true; wait; rm -rf "$dir"' EXIT
"${as[@]}" "$bin/initdb" -D "$dir/data" -U app -A trust >/dev/null 2>&1
"${as[@]}" "$bin/pg_ctl" -D "$dir/data" -o "-k $dir -c listen_addresses=" -l "$dir/log" -w start >/dev/null
cat >pgbouncer.ini <<END
[databases]
postgres = host=$dir user=app
[pgbouncer]
unix_socket_dir = $dir
listen_addr =
listen_port = 6432
auth_type = any
pool_mode = transaction
pidfile = $dir/pid
END
"${as[@]}" pgbouncer -q "$dir/pgbouncer.ini" >/dev/null 2>&1 &
bouncer=$!

# start FD PORT: a client whose statements come by descriptor FD and whose answers go to the file out.FD.
start() {
	mkfifo "in.$1"
	"$bin/psql" -h "$dir" -p "$2" -U app -d postgres -qAt <"in.$1" >"out.$1" 2>&1 3>&- 4>&- 5>&- &
	clients+=("$!")
	eval "exec $1>in.$1"
}
# ask FD SQL: the answer of that client.
ask() {
	local before
	before=$(wc -l <"out.$1")
	echo "$2;" >&"$1"
	for _ in $(seq 300); do
		[ "$(wc -l <"out.$1")" -gt "$before" ] && break
		sleep 0.1
	done
	tail -n 1 "out.$1"
}
wait_for() { until "$bin/psql" -h "$dir" -p "$1" -U app -d postgres -qAtc 'SELECT 1' >/dev/null 2>&1; do sleep 0.2; done; }

wait_for 5432
wait_for 6432
echo "$("$bin/postgres" --version), $(pgbouncer --version | head -n 1)"
seen=
for port in 5432 6432; do
	clients=()
	start 3 "$port"
	start 4 "$port"
	one=$(ask 3 'SELECT pg_try_advisory_lock(7)')
	two=$(ask 4 'SELECT pg_try_advisory_lock(7)')
	exec 3>&- 4>&-
	wait "${clients[@]}"
	rm in.3 in.4
	sleep 2
	start 5 5432
	three=$(ask 5 'SELECT pg_try_advisory_lock(7)')
	exec 5>&-
	rm in.5
	echo "port $port: the first client gets the lock: $one; the second: $two; both leave; a third, with a session of its own: $three"
	seen+="$one$two$three "
done
[ "$seen" = 'tft ttf ' ] || { echo "CHANGED: $seen, not tft ttf"; exit 1; }
