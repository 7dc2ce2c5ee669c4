#!/usr/bin/env bash
# Six runtimes: what a timer costs among eight times as many: the same in two of them, about eight times as much in four.
#
# Guess: timers are kept in a heap, a wheel or a tree everywhere since the eighties, so setting, cancelling and firing one among 16,000
# costs about what it costs among 2,000.
# Seen: Node.js and asyncio do so. Tcl and Emacs walk a sorted list to set a timer (Emacs runs Lisp for each step: milliseconds).
# Python's sched searches its heap to cancel one and then builds the heap anew. GLib asks each source of the loop at each wake-up, so a
# timer that fires a hundred times a second pays for all those that wait.
# Whom it hurts: a timeout per connection in a GLib or Tcl server: 20,000 clients turn each timer into a millisecond, and loading
# n timers into n^2 steps. The measure is the processor time of the process (in Tcl the best of five), so other load
# does not matter.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
dpkg -s tcl emacs-nox python3-gi gir1.2-glib-2.0 >/dev/null 2>&1 ||
	apt-get install -y -qq --no-install-recommends tcl emacs-nox python3-gi gir1.2-glib-2.0 >/dev/null

# Each program takes n and prints the microseconds of one operation among n timers that wait.
cat >tcl <<'TCL'
set n [lindex $argv 0]
for {set i 0} {$i < $n} {incr i} {after [expr {1000000 + $i}] {}}
for {set i 0} {$i < 5} {incr i} {lappend times [lindex [time {after 2000000 {}} 200] 0]}
puts [lindex [lsort -real $times] 0]
TCL
cat >emacs <<'LISP'
(let ((n (string-to-number (getenv "N"))))
  (dotimes (i n) (run-at-time 100000 nil #'ignore))
  (let ((begin (float-time (get-internal-run-time))))
    (dotimes (i 50) (run-at-time 200000 nil #'ignore))
    (princ (* (/ 1e6 50) (- (float-time (get-internal-run-time)) begin)))))
LISP
cat >sched <<'PY'
import sched, sys, time
n, scheduler = int(sys.argv[1]), sched.scheduler()
events = [scheduler.enter(10**6 + i, 0, print) for i in range(n)]
begin = time.process_time()
for event in events[-300:]:
    scheduler.cancel(event)
print((time.process_time() - begin) / 300 * 1e6)
PY
cat >asyncio <<'PY'
import asyncio, sys, time
n, loop = int(sys.argv[1]), asyncio.new_event_loop()
handles = [loop.call_later(10**6 + i, print) for i in range(n)]
begin = time.process_time()
for i in range(2000):
    loop.call_later(2 * 10**6 + i, print).cancel()
print((time.process_time() - begin) / 2000 * 1e6)
PY
cat >glib <<'PY'
import sys, time
from gi.repository import GLib
context, fired = GLib.MainContext.default(), []
for i in range(int(sys.argv[1])):
    GLib.timeout_add(10**6 + i, print)
GLib.timeout_add(1, lambda: fired.append(1) or True)
begin = time.process_time()
while len(fired) < 200:
    context.iteration(True)
print((time.process_time() - begin) / 200 * 1e6)
PY
cat >node.mjs <<'JS'
for (let i = 0; i < Number(process.argv[2]); i++) setTimeout(() => {}, 1e6 + i)
const begin = process.cpuUsage()
for (let i = 0; i < 5000; i++) clearTimeout(setTimeout(() => {}, 2e6 + i))
console.log(process.cpuUsage(begin).user / 5000)
process.exit()
JS
run() { # run SUBJECT N
	case $1 in
	tcl) tclsh tcl "$2" ;;
	emacs) N=$(($2 / 8)) emacs --batch -Q -l ./emacs ;; # an eighth: it is slow
	node) node node.mjs "$2" ;;
	*) /usr/bin/python3 "$1" "$2" ;;
	esac
}
echo "Tcl $(echo 'puts $tcl_patchLevel' | tclsh), $(emacs --version | head -1), $(/usr/bin/python3 --version)," \
	"GLib $(dpkg-query -W -f '${Version}' libglib2.0-0), Node.js $(node --version)"
for subject in node asyncio tcl emacs sched glib; do
	echo "$subject $(run $subject 2000) $(run $subject 16000)"
done | awk '{ ratio = $3 / $2; printf "%-8s %8.1f us, among eight times as many %8.1f us: %.1f times\n", $1, $2, $3, ratio
	seen = seen (ratio > 3 ? "l" : "f") }
	END { if (seen != "ffllll") { print "CHANGED: node and asyncio were flat, the others linear"; exit 1 } }'
