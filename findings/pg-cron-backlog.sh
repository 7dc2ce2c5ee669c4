#!/usr/bin/env bash
# pg_cron: a job of each minute that hangs for an hour is followed by sixty runs at once.
#
# Guess: pg_cron runs one instance of a job at a time, and its documentation says that "the second run is queued", so one run waits while a
# long one is under way: after it the job runs once, late, and then on time, as with a job of systemd or a CronJob with Forbid.
# Seen: each minute adds a run to those that are pending, also when one waits already. When the long run ends, all of them come one after the
# other, within milliseconds of each other: a run of 130 s leaves two, one of 200 s three; by the same rule an hour leaves sixty.
# Whom it hurts: jobs that wait for a lock, a vacuum or a foreign server that is down: when it is back it gets an hour of calls, mails and
# refreshes in one burst; and a job that takes a little longer than its period falls further behind with each run.
set -euo pipefail
dir=$(mktemp -d)
extension() { ls -d /usr/share/postgresql/*/extension/pg_cron.control 2>/dev/null | tail -n 1; }
[ -n "$(extension)" ] || apt-get install -y -qq postgresql-15-cron >/dev/null
major=$(extension | cut -d/ -f5)
bin=/usr/lib/postgresql/$major/bin
as=()
[ "$(id -u)" != 0 ] || { chown postgres "$dir"; chmod 755 "$dir"; as=(runuser -u postgres --); }
cd "$dir"
trap '"${as[@]}" "$bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$dir"' EXIT
"${as[@]}" "$bin/initdb" -D "$dir/data" -U postgres -A trust >/dev/null 2>&1
"${as[@]}" "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w start >/dev/null \
	-o "-k $dir -c listen_addresses= -c shared_preload_libraries=pg_cron -c cron.use_background_workers=on -c max_worker_processes=16"
sql() { psql -h "$dir" -U postgres -qAt -c "$1"; }
sql 'create extension pg_cron'
echo "PostgreSQL $(sql 'show server_version'), pg_cron $(dpkg-query -W -f '${Version}' "postgresql-$major-cron")"

sql 'create table run (n serial, started timestamptz default clock_timestamp(), ended timestamptz)'
sql 'create procedure job() language plpgsql as $$
declare id int;
begin
  insert into run default values returning n into id;
  commit;
  if id = 1 then perform pg_sleep(130); end if;
  update run set ended = clock_timestamp() where n = id;
end $$'
sql "select cron.schedule('minutely', '* * * * *', 'call job()')" >/dev/null
for _ in $(seq 230); do
	[ "$(sql 'select count(*) from run where n = 1 and ended is not null')" = 0 ] || break
	sleep 1
done
sleep 10 # the end is at ten seconds past a minute: what comes before the next minute is the backlog
sql "select format('run %s began at %s, ended at %s', n, started::time(1), ended::time(1)) from run order by n"
burst=$(sql 'select count(*) from run r, run first where first.n = 1 and r.started between first.ended and first.ended + interval $$10 s$$')
echo "runs within ten seconds of the end of the first: $burst"
[ "$burst" = 2 ] || { echo "CHANGED: each of the two missed minutes had a run of its own"; exit 1; }
