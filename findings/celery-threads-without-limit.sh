#!/usr/bin/env bash
# Celery: time_limit of a second lets a task run for as long as it likes in the pools threads and solo.
#
# Guess: @app.task(time_limit=1) ends a task after a second in each pool, or the worker refuses to start with a pool that can't do so.
# Seen: the default pool, of processes, kills it. With --pool threads or solo the limit is accepted and ignored: the task of five seconds
# runs to its end, without a warning in the log.
# Whom it hurts: whoever moves tasks that wait for the network to threads, for more of them at less memory: the same limits stand in
# the code, and the first server that does not answer takes the threads one by one, until the worker does nothing any more.
set -euo pipefail
dir=$(mktemp -d)
redis=
worker=
trap 'kill $worker $redis 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
cd "$dir"
dpkg -s python3-celery python3-redis >/dev/null 2>&1 || apt-get install -y -qq python3-celery python3-redis >/dev/null
command -v redis-server >/dev/null || apt-get install -y -qq redis-server >/dev/null

cat >tasks.py <<'PY'
import os
import time

from celery import Celery

app = Celery('tasks', broker='redis+socket://' + os.path.abspath('sock'))


@app.task(time_limit=1)
def report(pool):
    time.sleep(5)
    open(pool + '.ended', 'w').close()


@app.task
def last(pool):
    open(pool + '.last', 'w').close()
PY
redis-server --port 0 --unixsocket "$dir/sock" --save '' --dir "$dir" >/dev/null &
redis=$!
until [ -S sock ]; do sleep 0.1; done
echo "celery $(/usr/bin/python3 -c 'import celery; print(celery.__version__)'), $(redis-server --version | cut -d' ' -f1-3)"
seen=
for pool in prefork threads solo; do
	redis-cli -s sock flushall >/dev/null
	/usr/bin/python3 -c "import tasks; tasks.report.delay('$pool'); tasks.last.delay('$pool')"
	/usr/bin/python3 -m celery -A tasks worker --pool "$pool" --concurrency 1 --loglevel warning >"$pool.log" 2>&1 &
	worker=$!
	# There is one process or thread, so the end of the second task says that the first has been dealt with.
	for _ in $(seq 40); do
		[ ! -e "$pool.last" ] || break
		sleep 1
	done
	kill "$worker"
	wait "$worker" || true
	worker=
	ended='ends at its limit'
	[ ! -e "$pool.ended" ] || ended='runs for five seconds'
	echo "$pool: a task with a limit of a second $ended; lines of the log about limits: $(grep -ciE 'limit|exceeded' "$pool.log" || true)"
	seen+="$pool $ended. "
done
[ "$seen" = 'prefork ends at its limit. threads runs for five seconds. solo runs for five seconds. ' ] || { echo "CHANGED: $seen"; exit 1; }
