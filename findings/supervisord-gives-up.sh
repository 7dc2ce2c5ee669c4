#!/usr/bin/env bash
# supervisord: a program with autorestart=true that fails at its start for ten seconds is never started again.
#
# Guess: autorestart=true, "restarted unconditionally", starts a program again for as long as it takes, as runit, Docker's
# restart: always and Kubernetes do, perhaps with growing pauses.
# Seen: autorestart is for programs that have run for startsecs, a second. One that ends earlier is started startretries times more, 3 by
# default, after 1, 2 and 3 s, and is FATAL then, for good, until somebody says "start". A program that fails after two seconds is
# restarted for ever, without a pause. A longer startsecs makes more failures fatal.
# Whom it hurts: workers that end when the database or the network is not there yet: after a boot, or a restart of the database that takes
# ten seconds, they are down until a person looks, while supervisord itself runs and says that all is well to whoever watches it.
set -euo pipefail
dir=$(mktemp -d)
supervisor=
trap '[ -z "$supervisor" ] || kill "$supervisor" 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
cd "$dir"
command -v supervisord >/dev/null || apt-get install -y -qq --no-install-recommends supervisor >/dev/null

# Both programs need a database, the file "database": the first asks at once, the other after two seconds.
cat >worker.sh <<'SH'
echo "start" >>"$1.starts"
sleep "$2"
[ -e database ] || { echo "no database" >&2; exit 1; }
exec sleep 60
SH
cat >supervisord.conf <<'END'
[supervisord]
logfile = /dev/null
logfile_maxbytes = 0
pidfile = %(here)s/pid
[unix_http_server]
file = %(here)s/sock
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
[supervisorctl]
serverurl = unix://%(here)s/sock
[program:at-once]
command = sh worker.sh at-once 0
directory = %(here)s
autorestart = true
[program:after-two-seconds]
command = sh worker.sh after-two-seconds 2
directory = %(here)s
autorestart = true
END
supervisord --nodaemon -c supervisord.conf >/dev/null 2>&1 &
supervisor=$!
state() { supervisorctl -c supervisord.conf status "$1" | awk '{ print $2 }' || true; }
report() {
	for program in at-once after-two-seconds; do
		echo "$1: $program has been started $(wc -l <"$program.starts") times and is $(state "$program")"
	done
}
echo "supervisord $(supervisord --version)"
# Under load a try may seem to last for a second, which begins the count anew, so wait for the end of the tries, for a minute at most.
for _ in $(seq 60); do
	sleep 1
	[ "$(state at-once)" = FATAL ] && break
done
sleep 5
report 'without the database'
starts=$(wc -l <at-once.starts)
touch database
sleep 15
report 'fifteen seconds after the database has come'
seen="$(state at-once) $(($(wc -l <at-once.starts) - starts)) $(state after-two-seconds)"
[ "$seen" = 'FATAL 0 RUNNING' ] || { echo "CHANGED: $seen, not FATAL 0 RUNNING"; exit 1; }
