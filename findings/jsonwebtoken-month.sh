#!/usr/bin/env bash
# jsonwebtoken: a token that expires in "1M" is valid for a minute, and one that expires in "30" is never valid.
#
# Guess: "1M" is a month, as in moment, ISO 8601 and date formats, where m is a minute; "30" is 30 seconds like the number 30.
# Seen: package ms reads the text. It ignores case, so 1M and 1m are both a minute, and it has no months: "1mo" is an
# error. A text without a unit is milliseconds, while a number is seconds; 30 ms are cut to 0 s.
# Whom it hurts: whoever takes the lifetime from an environment variable, which is always a text: sessions end at once.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund jsonwebtoken@9.0.3 ms@2.1.3 >/dev/null

cat >main.mjs <<'JS'
import jwt from 'jsonwebtoken'

let changed = false
for (const [expiresIn, want] of [['1M', 60], ['1m', 60], ['30', 0], [30, 30], ['1d', 86400]]) {
  const token = jwt.decode(jwt.sign({}, 'not a secret, not a secret, no secret', { expiresIn }))
  const seconds = token.exp - token.iat
  console.log(`expiresIn ${JSON.stringify(expiresIn)}: valid for ${seconds} s`)
  changed ||= seconds !== want
}
if (changed) {
  console.log('CHANGED: it was 60, 60, 0, 30 and 86400 s')
  process.exit(1)
}
JS
echo "jsonwebtoken 9.0.3, ms 2.1.3, Node.js $(node --version)"
node main.mjs
