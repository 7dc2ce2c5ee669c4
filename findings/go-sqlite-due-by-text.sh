#!/usr/bin/env bash
# Go and SQLite: a job that is due in an hour is due now, and one that is overdue is not, as the zone of time.Now decides.
#
# Guess: a time.Time is an instant, and drivers that take it as an argument store an instant, as pgx and lib/pq do, so "run_at <= ?" finds
# what is due whatever the zones of the two times are.
# Seen: SQLite has no type for times. modernc.org/sqlite and ncruces/go-sqlite3 write a text in the zone of the value, and SQLite compares
# texts: 09:00 -0400, an hour ahead, comes before 12:00 +0000. What the column is declared as does not matter. modernc writes
# time.Now().String() with its "m=+0.01". With UTC() on both sides, or Unix times, the answers are right.
# Whom it hurts: job queues and expiries in a SQLite file: on a server in UTC all is well, and on a laptop or device in New York, or if one
# line says UTC() and another does not, a job for later runs hours early or late. Jobs of the hour that comes twice in autumn are late, too.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main.go <<'GO'
package main

import (
	"database/sql"
	"fmt"
	"os"
	"time"
	_ "time/tzdata"

	_ "github.com/ncruces/go-sqlite3/driver"
	_ "modernc.org/sqlite"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func main() {
	newYork := must(time.LoadLocation("America/New_York"))
	now := time.Date(2027, 6, 1, 12, 0, 0, 0, time.UTC)
	ahead, ago := now.Add(time.Hour), now.Add(-time.Hour)
	cases := []struct {
		job      string
		runAt    time.Time
		zone     *time.Location // of the time in the query
		expected bool
		seen     bool
	}{
		{"in an hour, New York, query in UTC", ahead.In(newYork), time.UTC, false, true},
		{"an hour ago, UTC, query in New York", ago, newYork, true, false},
		{"in an hour, UTC, query in UTC", ahead, time.UTC, false, false},
		{"an hour ago, New York, query in New York", ago.In(newYork), newYork, true, true},
	}
	changed := false
	for _, driver := range []string{"sqlite", "sqlite3"} {
		db := must(sql.Open(driver, "file:"+driver+".db"))
		must(db.Exec("CREATE TABLE job (run_at TIMESTAMP NOT NULL)"))
		for _, c := range cases {
			must(db.Exec("DELETE FROM job"))
			must(db.Exec("INSERT INTO job VALUES (?)", c.runAt))
			var text string
			var due bool
			if err := db.QueryRow("SELECT CAST(run_at AS TEXT), run_at <= ? FROM job", now.In(c.zone)).Scan(&text, &due); err != nil {
				panic(err)
			}
			fmt.Printf("%-7s %-40s due: expected %-5v seen %-5v stored as %q\n", driver, c.job, c.expected, due, text)
			changed = changed || due != c.seen
		}
	}
	if changed {
		fmt.Println("CHANGED: true, false, false and true were seen")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get modernc.org/sqlite@v1.62.0 github.com/ncruces/go-sqlite3@v0.37.0 2>get.log && go mod tidy 2>>get.log || { cat get.log; exit 1; }
echo "sqlite: modernc.org/sqlite v1.62.0; sqlite3: github.com/ncruces/go-sqlite3 v0.37.0; $(go version | cut -d' ' -f3)"
go run .
