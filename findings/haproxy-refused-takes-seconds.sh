#!/usr/bin/env bash
# HAProxy: a server that refuses connections at once is answered for after three seconds.
#
# Guess: a refused connection is known in a millisecond, so a request to the only server of a backend, which is down, gets its 503 at
# once; "timeout connect" and "retries" matter for servers that do not answer.
# Seen: before each of the three retries (the default) to the same server HAProxy waits for a second, or for "timeout connect" if
# that is shorter. A longer "timeout connect" makes refusals slower, up to three seconds; "retries 0" ends them at once.
# Whom it hurts: health checks and clients with a timeout of a second or two in front of a backend that restarts: they see timeouts,
# not 503, and each request holds a connection of the proxy for seconds.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill "$proxy" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
command -v haproxy >/dev/null || apt-get install -y -qq --no-install-recommends haproxy >/dev/null
command -v curl >/dev/null || apt-get install -y -qq --no-install-recommends curl >/dev/null
command -v python3 >/dev/null || apt-get install -y -qq --no-install-recommends python3 >/dev/null
nobody=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >haproxy.cfg <<EOF
defaults
	mode http
	timeout client 30s
	timeout server 30s
EOF
backend() { # backend NAME OPTIONS...: a proxy on the socket NAME, with a server that nobody has started
	printf 'listen %s\n\tbind unix@%s/%s\n\tserver down 127.0.0.1:%s\n' "$1" "$dir" "$1" "$nobody" >>haproxy.cfg
	shift
	printf '\t%s\n' "$@" >>haproxy.cfg
}
backend plain 'timeout connect 5s'
backend short 'timeout connect 100ms'
backend none 'timeout connect 5s' 'retries 0'
haproxy -q -f haproxy.cfg &
proxy=$!
until [ -S plain ] && [ -S none ]; do sleep 0.1; done

haproxy -v | sed -n 1p
get() { # prints the status and the milliseconds of a request
	local begin
	begin=$(date +%s%N)
	echo "$(curl -s -o /dev/null -w '%{http_code}' --unix-socket "$1" http://localhost/) $((($(date +%s%N) - begin) / 1000000))"
}
read -r status plain <<<"$(get plain)"
read -r _ short <<<"$(get short)"
read -r _ none <<<"$(get none)"
echo "timeout connect 5s, retries by default: status $status after $plain ms (expected: at once)"
echo "timeout connect 100ms:                  status 503 after $short ms"
echo "timeout connect 5s, retries 0:          status 503 after $none ms"
if [ "$status" != 503 ] || [ "$plain" -lt 2900 ] || [ "$none" -gt 1500 ] || [ "$short" -gt 2000 ]; then
	echo "CHANGED: three seconds, 0.3 s and at once were seen"
	exit 1
fi
