#!/usr/bin/env bash
# Ten runtimes: ten timers of one deadline, set one after the other, run in six different orders.
#
# Guess: timers with equal deadlines run in the order in which they were set, as the first user of Node.js or Tcl sees it.
# Seen: only four of ten do so. Java's Timer and SBCL run the first one first and then all others from the last to the second,
# since the last leaf of a binary heap replaces its root. Emacs is the reverse throughout. Python's heapq and libev's
# 4-ary heap scramble, each in its own way. Go with one P runs the last one first, since a started goroutine runs next.
# Whom it hurts: programs that rely on "set first, runs first" (a step and its timeout, packets of a simulation) and are ported.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
lacks=()
need() { command -v "$1" >/dev/null || lacks+=("$2"); }
need node nodejs; need python3 python3; need tclsh tcl; need java default-jdk-headless; need emacs emacs-nox
need sbcl sbcl; need erl erlang-base; need swipl swi-prolog-nox; need go golang
perl -MEV -e1 2>/dev/null || lacks+=(libev-perl)
[ ${#lacks[@]} = 0 ] || { apt-get update -qq; apt-get install -y -qq "${lacks[@]}" >/dev/null; }

changed=
seen() { # name, version, expected order, order
	echo "$1 $2: $4"
	[ "$3" = "$4" ] || { echo "CHANGED: it was $3"; changed=yes; }
}

seen Node.js "$(node --version)" 0123456789 "$(node -e "let out = ''
	for (let i = 0; i < 10; i++) setTimeout(() => { out += i; if (out.length === 10) console.log(out) }, 100)")"

seen Tcl "$(echo 'puts [info patchlevel]' | tclsh)" 0123456789 "$(echo 'for {set i 0} {$i < 10} {incr i} {after 100 "append out $i"}
	after 500 {puts $out; exit}
	vwait forever' | tclsh)"

seen Erlang "$(erl -noshell -eval 'io:put_chars(erlang:system_info(otp_release)), halt().')" 0123456789 "$(erl -noshell -eval '
	[erlang:send_after(100, self(), I) || I <- lists:seq(0, 9)],
	io:put_chars([receive N -> $0 + N end || _ <- lists:seq(0, 9)]), halt().')"

cat >t.pro <<'X'
:- use_module(library(time)).
main :- get_time(T), At is T + 0.2, forall(between(0, 9, I), alarm_at(At, write(I), _, [remove(true)])), sleep(1), halt.
X
seen SWI-Prolog "$(swipl --version | cut -d' ' -f3)" 0123456789 "$(swipl -q -g main t.pro </dev/null)"

seen "Python's asyncio" "$(python3 -c 'import platform; print(platform.python_version())')" 0265987134 "$(python3 -c 'import asyncio
out, loop = [], asyncio.new_event_loop()
at = loop.time() + 0.1
for i in range(10): loop.call_at(at, out.append, str(i))
loop.run_until_complete(asyncio.sleep(0.5))
print("".join(out))')"

perl -MEV -e 'my $out = ""; EV::now_update; my @w = map { my $i = $_; EV::timer 0.1, 0, sub { $out .= $i } } 0..9;
	my $end = EV::timer 0.5, 0, sub { EV::break }; EV::run; print $out' >ev
seen "libev through Perl's EV" "$(perl -MEV -e 'print $EV::VERSION')" 0198765432 "$(cat ev)"

cat >T.java <<'X'
import java.util.*;
class T { public static void main(String[] args) throws Exception {
	var out = new StringBuffer(); var timer = new Timer(); var at = new Date(System.currentTimeMillis() + 300);
	for (int i = 0; i < 10; i++) { int n = i; timer.schedule(new TimerTask() { public void run() { out.append(n); } }, at); }
	Thread.sleep(1000); System.out.println(out); timer.cancel(); } }
X
seen "Java's Timer" "$(java -version 2>&1 | sed -n 's/.*version "\([^"]*\)".*/\1/p')" 0987654321 "$(java T.java)"

cat >t.lisp <<'X'
(let ((out nil) (at (+ 2 (get-universal-time))))
  (dotimes (i 10) (let ((n i)) (sb-ext:schedule-timer (sb-ext:make-timer (lambda () (push n out))) at :absolute-p t)))
  (sleep 4) (format t "~{~a~}" (reverse out)))
X
seen SBCL "$(sbcl --version | cut -d' ' -f2)" 0987654321 "$(sbcl --script t.lisp)"

seen Emacs "$(emacs --version | head -n 1 | cut -d' ' -f3)" 9876543210 "$(emacs -Q --batch --eval '(let ((out "") (at (time-add nil 0.2)))
	(dotimes (i 10) (run-at-time at nil (lambda (n) (setq out (concat out (number-to-string n)))) i)) (sleep-for 1) (princ out))')"

cat >t.go <<'X'
package main

import ("fmt"; "runtime"; "time")

func main() {
	runtime.GOMAXPROCS(1)
	out := make(chan int, 10)
	for i := range 10 { time.AfterFunc(100*time.Millisecond, func() { out <- i }) }
	for range 10 { fmt.Print(<-out) }
}
X
seen "Go with one P" "$(go env GOVERSION)" 9012345678 "$(go run t.go)"
[ -z "$changed" ]
