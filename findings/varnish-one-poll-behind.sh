#!/usr/bin/env bash
# Varnish: a response with "max-age=1" that is asked for every five seconds is always the one of five seconds ago.
#
# Guess: a response with max-age=1 is kept for a second; a request four seconds later is a miss and goes to the server.
# Seen: an object that has expired is kept for a grace of 10 s more (default_grace). A request in this time gets the old object at
# once, and fetches a new one in the background, for the next request. Whoever polls at 5 s sees each answer one poll late, at an age of
# 5 s; at 15 s each answer is fresh. The faster poll sees older data. Grace 0 makes each fresh.
# Whom it hurts: status pages, queues and prices with a short max-age and few requests: a change shows at the second look.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill $varnish $backend 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
varnish='' backend=''
cd "$dir"
command -v varnishd >/dev/null || apt-get install -y -qq varnish >/dev/null 2>&1
dpkg-query -W -f '${Package} ${Version}\n' varnish

cat >backend.js <<'JS'
// Answers with the time, in milliseconds.
require('http').createServer((_, res) => {
  res.setHeader('Cache-Control', 'max-age=1')
  res.end(String(Date.now()))
}).listen('server')
JS
cat >poll.js <<'JS'
// Asks four times, each GAP seconds, and prints how many seconds old each answer was.
const { get } = require('http')
const gap = Number(process.argv[2])
const ask = () => new Promise((resolve, reject) => get({ socketPath: 'proxy', headers: { host: 'test' } }, async res => {
  let body = ''
  for await (const part of res) body += part
  res.statusCode === 200 ? resolve(Number(body)) : reject(new Error(body))
}).on('error', reject))
async function main () {
  const ages = []
  for (let i = 0; i < 4; i++) {
    if (i) await new Promise(resolve => setTimeout(resolve, gap * 1000))
    const said = await ask()
    ages.push(Math.round((Date.now() - said) / 1000))
  }
  console.log(ages.join(' '))
}
main()
JS
node backend.js & backend=$!

# ages GAP [PARAMETER]: sets result to the ages of four answers.
ages() {
	varnishd -j none -F -n "$dir/varnish" -a "$dir/proxy" -b "$dir/server" ${2:+-p "$2"} >varnish.log 2>&1 & varnish=$!
	for _ in $(seq 100); do grep -q "Child launched OK\|said Child starts" varnish.log && break; sleep 0.2; done
	result=$(node poll.js "$1") || cat varnish.log
	kill "$varnish"
	wait "$varnish" 2>/dev/null || true
	varnish=''
}
ages 5; five=$result
ages 15; fifteen=$result
ages 5 default_grace=0; none=$result
echo "age of four answers with max-age=1, asked for each  5 s:              $five (expected at most 1)"
echo "age of four answers with max-age=1, asked for each 15 s:              $fifteen"
echo "age of four answers with max-age=1, asked for each  5 s, without grace: $none"
[ "$five / $fifteen / $none" = "0 5 5 5 / 0 0 0 0 / 0 0 0 0" ] || { echo "CHANGED: only at 5 s with grace the answers were 5 s old"; exit 1; }
