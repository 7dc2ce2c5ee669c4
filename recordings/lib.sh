# Functions of the recordings. A run.sh sets title, module, licence and load, and calls:
#
#   needs COMMAND PACKAGE                          fails if the command is missing
#   loader NAME MODULE@VERSION PACKAGE             builds a load generator, $bin/NAME
#   program NAME PACKAGE [FLAG...]                 builds the program of $module, with the recorder
#   record NAME ARGUMENT...                        starts the program and records it
#   wait_for PORT                                  waits until a program listens on the port
#   run_for SECONDS COMMAND...                     runs a load in the background, for SECONDS at most
#   finish NAME                                    ends the program, keeps traces/NAME.trace and .md
#
# Programs stay in the folder RECORDINGS (default: timerbench-recordings in the temporary folder).
# The loads use the loopback. A trace has at most 600,000 bytes, or $most.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
store=${RECORDINGS:-${TMPDIR:-/tmp}/timerbench-recordings}
bin=$store/bin
mkdir -p "$bin" "$store/rec" "$store/src"
export GOFLAGS=-mod=mod GOWORK=off
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT

timerbench=$bin/timerbench
GOFLAGS='' go build -C "$root" -o "$timerbench" ./cmd/timerbench

needs() {
	command -v "$1" >/dev/null || {
		echo "$0: needs $1: apt-get install $2 (Debian, Ubuntu)" >&2
		exit 1
	}
}

# source_of copies a module out of the module cache, so that its files can be overlaid, and prints the
# folder. It drops replacements by relative folders, which the module does not contain.
source_of() {
	local dir=$store/src/${1//\//_} from old
	if [ ! -e "$dir/go.mod" ]; then
		from=$(cd "$store" && go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
		rm -rf "$dir.new"
		cp -r "$from" "$dir.new"
		chmod -R u+w "$dir.new"
		for old in $(sed -n 's/^replace *//; s/^[[:space:]]*\([^ ]*\) => \.\{1,2\}\/.*/\1/p' "$dir.new/go.mod"); do
			(cd "$dir.new" && go mod edit -dropreplace "$old")
		done
		mv "$dir.new" "$dir"
	fi
	echo "$dir"
}

loader() {
	[ -x "$bin/$1" ] || go build -C "$(source_of "$2")" -o "$bin/$1" "$3"
}

program() {
	[ -x "$store/rec/$1" ] ||
		"$timerbench" trace build -C "$(source_of "$module")" -o "$store/rec/$1" "${@:3}" "$2"
}

record() {
	local name=$1
	shift
	"$timerbench" trace record -o "$work/$name.trace" --about "$title under $load" -- "$store/rec/$name" "$@" \
		>"$work/$name.log" 2>&1 &
	recorder=$!
	pids+=("$recorder")
}

wait_for() {
	for _ in $(seq 300); do
		(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
		sleep 0.1
	done
	echo "$0: no program listens on port $1" >&2
	cat "$work"/*.log >&2
	exit 1
}

run_for() {
	timeout "$@" >"$work/load-${#pids[@]}.log" 2>&1 &
	pids+=($!)
}

finish() {
	kill -TERM "$recorder"
	wait "$recorder" || {
		cat "$work/$1.log" >&2
		exit 1
	}
	keep "$1"
}

# keep checks a trace, moves it to traces, and describes it in a file.
keep() {
	local size
	size=$(stat -c %s "$work/$1.trace")
	"$timerbench" trace info "$work/$1.trace"
	if [ "$size" -gt "${most:-600000}" ]; then
		echo "$0: $size bytes: want at most ${most:-600000}" >&2
		cp "$work/$1.trace" "$store/$1.large.trace"
		exit 1
	fi
	mv "$work/$1.trace" "$root/traces/$1.trace"
	cat >"$root/traces/$1.md" <<-END
		# $1

		| | |
		|---|---|
		| program | $title, \`$module\` |
		| licence | $licence |
		| load | $load |
		| machine | $(nproc) processors, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), Linux $(uname -r | cut -d. -f1-2), $(go env GOVERSION) |
		| recorded | $(date -u +%F) |
		| by | [recordings/$1/run.sh](../recordings/$1/run.sh) |

		<!-- info: written by make docs -->
		\`\`\`
		$("$timerbench" trace info "$root/traces/$1.trace")
		\`\`\`
		<!-- end of info -->
	END
}
