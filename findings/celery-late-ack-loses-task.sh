#!/usr/bin/env bash
# Celery: with acks_late, a task whose process is killed for its memory is acknowledged and lost.
#
# Guess: acks_late acknowledges a task after it has run, so a task whose process dies in the middle is delivered again: that is what one
# turns it on for.
# Seen: a worker is a parent and its children. If a child is killed, which is what the kernel does when memory is short, the parent marks the
# task as failed (WorkerLostError) and acknowledges it; retries of the task do not count, either. Only if the parent is killed, too, the
# message stays. task_reject_on_worker_lost, off by default, delivers it again.
# Whom it hurts: whoever tests acks_late by killing the whole worker, where it works, and loses tasks in production, where the kernel
# picks the largest process, the child.
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
import signal

from celery import Celery

app = Celery('tasks', broker='redis+socket://' + os.path.abspath('sock'))
app.conf.task_acks_late = True
app.conf.task_reject_on_worker_lost = os.environ['CASE'] == 'rejects'


@app.task(max_retries=3, autoretry_for=(Exception,))
def report(case):
    with open(case + '.starts', 'a') as f:
        print('start', file=f, flush=True)
    if os.path.getsize(case + '.starts') <= len('start\n'):  # the first time
        if case == 'parent':
            os.kill(os.getppid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
    open(case + '.ended', 'w').close()


@app.task
def last(case):
    open(case + '.last', 'w').close()
PY
redis-server --port 0 --unixsocket "$dir/sock" --save '' --dir "$dir" >/dev/null &
redis=$!
until [ -S sock ]; do sleep 0.1; done
echo "celery $(/usr/bin/python3 -c 'import celery; print(celery.__version__)'), $(redis-server --version | cut -d' ' -f1-3)"

# run CASE: gives a worker with one child a task whose process is killed; prints how often it started, and what waits in Redis.
run() {
	export CASE=$1
	redis-cli -s sock flushall >/dev/null
	/usr/bin/python3 -c "import tasks; tasks.report.delay('$1'); tasks.last.delay('$1')"
	/usr/bin/python3 -m celery -A tasks worker --concurrency 1 --loglevel critical >"$1.log" 2>&1 &
	worker=$!
	# The end of the second task, or of the worker, says that the first has been dealt with; five seconds more are for a delivery again.
	for _ in $(seq 40); do
		[ -e "$1.last" ] || ! kill -0 "$worker" 2>/dev/null && break
		sleep 1
	done
	sleep 5
	local ended=lost
	! redis-cli -s sock hvals unacked | grep tasks.report >/dev/null || ended='kept in Redis'
	[ ! -e "$1.ended" ] || ended='run to its end'
	kill "$worker" 2>/dev/null || true
	wait "$worker" 2>/dev/null || true
	seen="$(wc -l <"$1.starts") $ended"
	echo "$1: starts and fate of the task: $seen"
}
changed=
run child
[ "$seen" = '1 lost' ] || changed+="child: $seen. "
run rejects
[ "$seen" = '2 run to its end' ] || changed+="rejects: $seen. "
run parent
[ "$seen" = '1 kept in Redis' ] || changed+="parent: $seen. "
[ -z "$changed" ] || { echo "CHANGED: $changed"; exit 1; }
