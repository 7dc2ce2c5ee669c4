#!/usr/bin/env bash
# node-postgres: an UPDATE that timed out commits two seconds later.
#
# Guess: query_timeout of pg takes the statement back, as a context does in pgx and lib/pq, which send a cancel request; at least
# the end of the connection rolls it back.
# Seen: query_timeout is a timer of the client. The promise is rejected with "Query read timeout", nothing is sent to the
# server, and the UPDATE goes on, with its locks, and commits, even if the client closes its connection meanwhile. With
# statement_timeout the server ends it.
# Whom it hurts: whoever retries after a timeout: the increment happens twice. In an overload each timeout leaves a statement that runs
# on, and the retry adds one.
set -euo pipefail
dir=$(mktemp -d)
trap '[ -z "${started:-}" ] || as pg_ctl -D "$dir/data" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$dir"' EXIT
cd "$dir"
chmod 711 "$dir"
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || apt-get install -y -qq postgresql >/dev/null
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
mkdir data
as() { "$bin/$@"; }
if [ "$(id -u)" = 0 ]; then # PostgreSQL does not run as root
	chown postgres data
	as() { (cd / && setpriv --reuid=postgres --regid=postgres --clear-groups "$bin/$@"); }
fi
as initdb -D "$dir/data" -A trust -U postgres >/dev/null
as pg_ctl -D "$dir/data" -o "-c listen_addresses='' -c unix_socket_directories='$dir/data'" -l "$dir/data/log" -w start >/dev/null
started=yes
npm init -y >/dev/null
npm install --silent --no-audit --no-fund pg@8.23.1 >/dev/null

cat >main.mjs <<'JS'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const connect = async options => {
  const client = new pg.Client({ host: process.argv[2], user: 'postgres', database: 'postgres', ...options })
  client.on('error', () => {})
  await client.connect()
  return client
}
const admin = await connect({})
await admin.query('CREATE TABLE counter AS SELECT 0 AS n')
const counter = async () => (await admin.query('SELECT n FROM counter')).rows[0].n

// Runs an UPDATE of two seconds with a timeout of half a second, closes the connection, and returns the counter at once and later.
async function update(options) {
  await admin.query('UPDATE counter SET n = 0')
  const client = await connect(options)
  const error = await client.query('UPDATE counter SET n = n + 1 WHERE pg_sleep(2) IS NOT NULL').catch(error => error.message)
  client.end().catch(() => {})
  const atOnce = await counter()
  await sleep(5000)
  const later = await counter()
  console.log(`${JSON.stringify(options)}: "${error}", counter ${atOnce}, five seconds later ${later}`)
  return [typeof error, atOnce, later].join()
}
const client = await update({ query_timeout: 500 })
const server = await update({ statement_timeout: 500 })
if (client !== 'string,0,1' || server !== 'string,0,0') {
  console.log('CHANGED: with query_timeout the counter became 1 (expected 0), with statement_timeout it stayed 0')
  process.exit(1)
}
process.exit()
JS
echo "pg 8.23.1, Node.js $(node --version), $(as postgres --version)"
node main.mjs "$dir/data"
