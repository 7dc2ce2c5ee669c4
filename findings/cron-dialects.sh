#!/usr/bin/env bash
# Cron libraries: ten expressions, and no two libraries of Go and Node.js run all of them at the same times.
#
# Guess: libraries that parse "standard cron expressions" agree on two day fields, on 7 for Sunday, on a range such as
# 5-7 or 6-1, on 5/10, and on the nights on which the clocks change; if not, they refuse the expression.
# Seen: nine of the ten have at least two answers, and two of them are silent: hashicorp/cronexpr leaves Sunday out of 5-7 and accepts
# 6-1 without any run. A job at 02:30 is skipped, moved to 03:00 or to 03:30 in spring; one at 01:30 runs once or twice in
# autumn; an hourly one has a gap of two hours in gronx.
# Whom it hurts: whoever moves an expression from one system to another, or validates in the browser what Go runs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat >specs <<'S'
2027-01-01T00:00:00Z|UTC|0 0 13 * 5
2027-01-01T00:00:00Z|UTC|0 0 */2 * 1
2027-01-01T00:00:00Z|UTC|0 0 * * 7
2027-01-01T00:00:00Z|UTC|0 0 * * 5-7
2027-01-01T00:00:00Z|UTC|0 0 * * 6-1
2027-01-01T00:00:00Z|UTC|5/10 * * * *
2027-01-01T00:00:00Z|UTC|0 0 * * 1#2
2027-03-14T05:00:00Z|America/New_York|30 2 * * *
2027-11-07T04:00:00Z|America/New_York|30 1 * * *
2027-11-07T04:00:00Z|America/New_York|30 * * * *
S
cat >main.go <<'GO'
package main
import ("bufio"; "fmt"; "os"; "strings"; "time"; _ "time/tzdata"
	"github.com/adhocore/gronx"; "github.com/hashicorp/cronexpr"; "github.com/robfig/cron/v3")

func main() {
	file, _ := os.Open("specs")
	for lines := bufio.NewScanner(file); lines.Scan(); {
		f := strings.Split(lines.Text(), "|")
		loc, _ := time.LoadLocation(f[1])
		from, _ := time.Parse(time.RFC3339, f[0])
		show := func(name string, err error, next func(time.Time) time.Time) {
			out := "refused"
			for i, at := 0, from.In(loc); i < 4 && err == nil; i++ {
				if at = next(at); at.IsZero() {
					out = "never"
					break
				}
				out = strings.TrimPrefix(out, "refused") + at.UTC().Format(" 02T15:04")
			}
			fmt.Printf("%-14s %-11s %s\n", f[2], name, strings.TrimSpace(out))
		}
		r, err := cron.ParseStandard(f[2])
		show("robfig", err, func(t time.Time) time.Time { return r.Next(t) })
		h, err := cronexpr.Parse(f[2])
		show("hashicorp", err, func(t time.Time) time.Time { return h.Next(t) })
		if err = nil; !gronx.New().IsValid(f[2]) {
			err = fmt.Errorf("refused")
		}
		show("gronx", err, func(t time.Time) time.Time { n, _ := gronx.NextTickAfter(f[2], t, false); return n })
	}
}
GO
cat >main.mjs <<'JS'
import { readFileSync } from 'node:fs'
import { CronExpressionParser } from 'cron-parser'
import { Cron } from 'croner'
import { CronTime } from 'cron'
for (const line of readFileSync('specs', 'utf8').trim().split('\n')) {
  const [from, zone, spec] = line.split('|')
  const show = (name, make) => {
    let out = ''
    try {
      const next = make()
      for (let i = 0, at = new Date(from); i < 4; i++) {
        at = next(at)
        if (!at) { out = 'never'; break }
        out += ' ' + at.toISOString().slice(8, 16)
      }
    } catch { out = 'refused' }
    console.log(spec.padEnd(14), name.padEnd(11), out.trim())
  }
  show('cron-parser', () => { const it = CronExpressionParser.parse(spec, { currentDate: from, tz: zone }); return () => it.next().toDate() })
  show('croner', () => { const c = new Cron(spec, { timezone: zone, paused: true }); return at => c.nextRun(at) })
  show('kelektiv', () => { const c = new CronTime(spec, zone); return at => c.getNextDateFrom(at, zone).toJSDate() })
}
JS
go mod init finding >/dev/null 2>&1
go get github.com/robfig/cron/v3@v3.0.1 github.com/adhocore/gronx@v1.20.4 github.com/hashicorp/cronexpr@v1.1.3 2>get.log || { cat get.log; exit 1; }
npm init -y >/dev/null
npm install --silent --no-audit --no-fund cron-parser@5.10.6 croner@11.0.1 cron@4.4.0 >/dev/null
echo "robfig/cron 3.0.1, hashicorp/cronexpr 1.1.3, gronx 1.20.4, cron-parser 5.10.6, croner 11.0.1, cron (kelektiv) 4.4.0"
{ go run . && node main.mjs; } | LC_ALL=C sort | tee seen
sum=$(sha256sum <seen | cut -c1-16)
[ "$sum" = 60fc8e1102e04088 ] || { echo "CHANGED: the lines differ from those of November 2026 (sum $sum)"; exit 1; }
