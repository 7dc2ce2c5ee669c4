#!/usr/bin/env bash
# Day.js: "tomorrow at noon in New York" is an hour off on a server that runs in UTC, and right on a laptop in New York.
#
# Guess: dayjs.tz('2027-03-13T12:00', 'America/New_York').add(1, 'day') is noon of the next day in New York on each machine: the zone is
# named, so TZ of the process does not matter. moment-timezone, whose interface it follows, and Luxon do so.
# Seen: add keeps the offset that the first day had, unless the process itself runs in that zone. In a container (UTC) the sum over the
# night of the change is 13:00 in spring and 11:00 in autumn, but prints as 12:00 with the old offset. In the zone itself the instant
# is right and format() still prints the old offset, so that the text and toISOString() of one value are an hour apart.
# Whom it hurts: reminders, renewals and daily jobs: the tests pass where the developer lives, and production is off by an hour from
# the night of the change on, for each value that was computed before.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent dayjs@1.11.23 luxon@3.7.2 moment-timezone@0.6.6 >/dev/null
cat >main.js <<'JS'
const dayjs = require('dayjs');
dayjs.extend(require('dayjs/plugin/utc'));
dayjs.extend(require('dayjs/plugin/timezone'));
const { DateTime } = require('luxon');
const moment = require('moment-timezone');
const zone = 'America/New_York';
for (const noon of ['2027-03-13T12:00:00', '2027-11-06T12:00:00']) {
  const day = dayjs.tz(noon, zone).add(1, 'day');
  console.log([
    noon, day.toISOString().slice(0, 16), day.format(),
    moment.tz(noon, zone).add(1, 'day').toISOString().slice(0, 16),
    DateTime.fromISO(noon, { zone }).plus({ days: 1 }).toUTC().toISO().slice(0, 16),
  ].join(' '));
}
JS
echo "dayjs 1.11.23, moment-timezone 0.6.6, luxon 3.7.2, Node.js $(node --version)"
changed=
while read -r tz noon instant text right; do
	read -r _ day format moment luxon < <(TZ=$tz node main.js | grep "^$noon")
	echo "TZ=$tz, $noon New York + 1 day: Day.js ${day}Z, prints $format; moment ${moment}Z, Luxon ${luxon}Z"
	[ "$day $format" = "$instant $text" ] || changed+="Day.js: $day $format, was $instant $text. "
	[ "$moment $luxon" = "$right $right" ] || changed+="moment or Luxon: $moment $luxon, was $right. "
done <<'END'
UTC 2027-03-13T12:00:00 2027-03-14T17:00 2027-03-14T12:00:00-05:00 2027-03-14T16:00
America/New_York 2027-03-13T12:00:00 2027-03-14T16:00 2027-03-14T12:00:00-05:00 2027-03-14T16:00
UTC 2027-11-06T12:00:00 2027-11-07T16:00 2027-11-07T12:00:00-04:00 2027-11-07T17:00
America/New_York 2027-11-06T12:00:00 2027-11-07T17:00 2027-11-07T12:00:00-04:00 2027-11-07T17:00
END
[ -z "$changed" ] || { echo "CHANGED: $changed"; exit 1; }
