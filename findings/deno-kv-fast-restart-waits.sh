#!/usr/bin/env bash
# Deno KV: a job whose worker is killed comes back at once after a restart of twelve seconds, and after a minute after one of a second.
#
# Guess: the queue of Deno KV is durable and delivers at least once, so when a process is killed in the middle of a job, the next one gets
# the job when it starts to listen, however long the restart took. If anything, a longer pause is worse.
# Seen (local file): a job that was in hand goes back to the queue when a process opens the file, if some seconds have passed since the death
# of its worker; otherwise about a minute later. A supervisor that restarts within a second opens the file too early: the job
# waits for the minute, while jobs that are enqueued after it are delivered at once.
# Whom it hurts: whoever restarts fastest: the job that was interrupted comes a minute late and behind all the others, a caller that waits
# for it gives up, and tests that pause before the restart never see it.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund deno@2.9.6 >/dev/null

cat >worker.ts <<'TS'
const [file, add, seconds] = Deno.args;
const kv = await Deno.openKv(file);
const start = Date.now();
let last = 0;
kv.listenQueue(async (job: string) => {
  console.log(`${job} ${Math.round((Date.now() - start) / 1000)}`);
  if (job === "first" && add === "first") await new Promise((r) => setTimeout(r, 60_000)); // it is killed in the middle
  if (job === "first") last = 1;
});
await kv.enqueue(add);
while (last === 0 && Date.now() - start < Number(seconds) * 1000) await new Promise((r) => setTimeout(r, 100));
Deno.exit(0);
TS
run=(node_modules/.bin/deno run --quiet --no-config -A --unstable-kv worker.ts)

# restart PAUSE: kills a worker while it has the job "first", waits, starts a new one, and prints after how many seconds that one got the job.
restart() {
	"${run[@]}" "$1.db" first 60 >"$1.log" &
	local worker=$!
	until grep -qs first "$1.log"; do sleep 0.1; done
	kill -9 "$worker"
	wait "$worker" 2>/dev/null || true
	sleep "$1"
	"${run[@]}" "$1.db" later 120 >"$1.log"
	awk '{ at[$1] = $2 } END { print at["later"], at["first"] }' "$1.log"
}
"${run[0]}" --version | head -n 1
restart 1 >fast & # both at the same time, to save a minute
fast=$!
restart 12 >slow
wait "$fast"
for pause in fast slow; do
	read -r later first <"$pause"
	echo "$pause restart: a job that is added after it comes after $later s, the one of the killed worker after $first s"
done
read -r later first <fast
[ "$later" -lt 15 ] && [ "$first" -gt 25 ] || { echo "CHANGED: after a fast restart the job took a minute"; exit 1; }
read -r later first <slow
[ "$first" -lt 15 ] || { echo "CHANGED: after a slow restart the job came at once"; exit 1; }
