#!/usr/bin/env bash
# MariaDB: a transaction that meets a lock timeout commits half of its work.
#
# Guess: "Lock wait timeout exceeded; try restarting transaction" (error 1205) has rolled the transaction back, as a deadlock does (error
# 1213), and as PostgreSQL does: COMMIT after it commits nothing.
# Seen: the timeout takes back the one statement that waited. The transaction goes on, and COMMIT keeps the statements before it: the money
# has left the first account and never reaches the second. innodb_rollback_on_timeout=ON, which is off by default and can
# only be set at the start of the server, gives what the message says.
# Whom it hurts: workers that log an error and commit, batches that skip the rows that fail, and retries that begin with the statement
# that failed or with "try restarting": each timeout leaves half a job, or does its first half twice.
set -euo pipefail
dir=$(mktemp -d)
server=
stop() {
	[ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server" || true; }
	server=
}
trap 'stop; wait; rm -rf "$dir"' EXIT
command -v mariadbd >/dev/null || apt-get install -y -qq mariadb-server >/dev/null
user=$(id -un)
mariadb-install-db --no-defaults --datadir="$dir/data" --user="$user" --auth-root-authentication-method=normal >/dev/null 2>&1
sql() { mariadb --no-defaults --socket="$dir/sock" -uroot -N "$@"; }
serve() {
	mariadbd --no-defaults --datadir="$dir/data" --user="$user" --skip-networking --socket="$dir/sock" --pid-file="$dir/pid" "$@" 2>>"$dir/log" &
	server=$!
	until sql -e 'SELECT 1' >/dev/null 2>&1; do sleep 0.2; done
}

# transfer: moves 10 from account 1 to account 2 while another client holds account 2; prints the error and both amounts.
transfer() {
	sql -e 'CREATE OR REPLACE DATABASE d'
	sql d -e 'CREATE TABLE account (id INT PRIMARY KEY, amount INT) ENGINE=InnoDB; INSERT INTO account VALUES (1, 100), (2, 0)'
	sql d -e 'BEGIN; SELECT id FROM account WHERE id = 2 FOR UPDATE; DO GET_LOCK("held", 0); DO SLEEP(30)' >/dev/null 2>&1 &
	local holder=$!
	until [ "$(sql -e 'SELECT IS_FREE_LOCK("held")')" = 0 ]; do sleep 0.2; done
	# --force goes on after an error, as a program does that logs it.
	sql --force d 2>"$dir/error" <<'SQL' || true
SET innodb_lock_wait_timeout = 1;
BEGIN;
UPDATE account SET amount = amount - 10 WHERE id = 1;
UPDATE account SET amount = amount + 10 WHERE id = 2;
COMMIT;
SQL
	kill "$holder"
	wait "$holder" || true
	echo "$(grep -o '^ERROR [0-9]*' "$dir/error"): $(sql d -e 'SELECT GROUP_CONCAT(amount ORDER BY id) FROM account')"
}
serve
sql -e 'SELECT CONCAT("MariaDB ", VERSION())'
default=$(transfer)
echo "default: $default"
stop
serve --innodb-rollback-on-timeout=ON
rollback=$(transfer)
echo "innodb_rollback_on_timeout=ON: $rollback"
stop
[ "$default $rollback" = 'ERROR 1205: 90,0 ERROR 1205: 100,0' ] || { echo "CHANGED: 90,0 by default and 100,0 with the option were seen"; exit 1; }
