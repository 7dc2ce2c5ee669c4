#!/bin/sh
# build.sh builds the adapters of peers/<language> into peers/bin (or BIN) and lists them in all.toml
# there, for timerbench run --external. It builds each adapter whose library the compiler finds: a header on
# CPATH or of a package, a class on CLASSPATH or of a package. It ends with one apt-get line for the packages that are
# missing. docs/field.md says where the libraries come from that no package has. CRATES is the folder of Debian's Rust crates.
set -u
cd "$(dirname "$0")"
bin=${BIN:-bin}
mkdir -p "$bin"
bin=$(cd "$bin" && pwd)
list=$bin/all.toml
log=$bin/build.log
protocol=../bench/external/files # timerbench.h and others
: >"$list"
: >"$log"
missing= packages=

# built NAME COMMAND...: lists a program.
built() {
	name=$1
	shift
	words=
	for word in "$@"; do words="$words${words:+, }\"$word\""; done
	# With ten million timers only wheels, heaps of as few nanoseconds and floors take part: others take hours.
	case $name in
	ratas | wahern | haproxy | netty | tokio | cpp-binheap | cpp-priority_queue | rust-binaryheap) limit=0 ;;
	python-floor) limit=100000 ;;
	*-floor) limit=0 ;;
	*) limit=1000000 ;;
	esac
	printf '[[external]]\nname = "%s"\ncommand = [%s]\nlimit = %s\n' "$name" "$words" $limit >>"$list"
}

# needs NAMES PACKAGES: leaves programs out that need Debian packages.
needs() {
	missing="$missing $1"
	for package in $2; do
		case " $packages " in
		*" $package "*) ;;
		*) packages="$packages $package" ;;
		esac
	done
}

# unpackaged NAME FILE VARIABLE: leaves a program out whose library no package has.
unpackaged() { echo "$1: left out, no package has $2: put it on $3 (docs/field.md says where it comes from)"; }

# fails NAMES: leaves programs out that do not compile.
fails() { echo "$1: does not compile, see $log"; }

# c NAME SOURCE HEADER PACKAGE FLAG...: an adapter in C or C++ that includes HEADER.
c() {
	name=$1 source=$2 header=$3 package=$4
	shift 4
	case $source in
	*.cpp) compiler="${CXX:-c++} -std=c++17" language=c++ compilers=g++ ;;
	*) compiler="${CC:-cc} -std=gnu11" language=c compilers=gcc ;;
	esac
	if ! command -v "${compiler%% *}" >/dev/null; then
		needs "$name" "$compilers $package"
	elif [ -n "$header" ] && ! echo "#include <$header>" | $compiler -E -x $language "$@" - >/dev/null 2>&1; then
		[ -n "$package" ] && needs "$name" "$package" || unpackaged "$name" "$header" CPATH
	elif $compiler -O2 -Wall -Wextra -I"$protocol" -o "$bin/$name" "c/$source" "$@" 2>>"$log"; then
		built "$name" "./$name"
	else
		fails "$name"
	fi
}

flags() { pkg-config --cflags "$1" 2>/dev/null; }

c c-floor floor.c "" ""
c cpp-floor floor.cpp "" ""
c cpp-binheap binheap.cpp "" ""
c cpp-priority_queue tombstones.cpp "" ""
c cpp-multimap multimap.cpp "" ""
c bsd-tree bsdtree.c bsd/sys/tree.h libbsd-dev
c asio asio.cpp boost/asio.hpp libboost-dev
c libuv libuv.c uv.h libuv1-dev -luv
c libuv-poll libuv.c uv.h libuv1-dev -DREAL_POLL -luv
c libev libev.c ev.h libev-dev -lev
c libevent libevent.c event2/event.h libevent-dev -levent_core
c libevent-common libevent.c event2/event.h libevent-dev -DCOMMON -levent_core
# shellcheck disable=SC2046
c glib glib.c glib.h "libglib2.0-dev pkg-config" $(flags glib-2.0) -lglib-2.0
# shellcheck disable=SC2046
c dpdk dpdk.c rte_timer.h "libdpdk-dev pkg-config" $(flags libdpdk) -lrte_timer -lrte_eal
# shellcheck disable=SC2046
c folly folly.cpp folly/io/async/HHWheelTimer.h "" -std=c++20 $(pkg-config --cflags --libs libfolly 2>/dev/null)
c ratas ratas.cpp timer-wheel.h ""
c wahern wahern.c timeout.c ""
c haproxy haproxy.c src/eb64tree.c "" -Wno-address-of-packed-member

jars=${CLASSPATH:+$CLASSPATH:}/usr/share/java/netty-common.jar:/usr/share/java/jctools-core.jar

# java_ NAME MAIN CLASS PACKAGE: an adapter in Java that needs CLASS.
java_() {
	name=$1 main=$2 class=$3 package=$4
	if ! command -v javac >/dev/null; then
		needs "$name" "default-jdk-headless $package"
	elif [ -n "$class" ] && ! javap -cp "$jars" "$class" >/dev/null 2>&1; then
		[ -n "$package" ] && needs "$name" "$package" || unpackaged "$name" "$class" CLASSPATH
	elif javac -cp "java:$jars" -d "$bin/java" java/Timerbench.java "java/$main.java" 2>>"$log"; then
		printf '#!/bin/sh\nexec java -Xmx4g -cp "$(dirname "$0")/java:%s" %s "$@"\n' "$jars" "$main" >"$bin/$name"
		chmod +x "$bin/$name"
		built "$name" "./$name"
	else
		fails "$name"
	fi
}

java_ java-floor Floor "" ""
java_ java-binheap Binheap "" ""
java_ java-treemap TreeMapTimers "" ""
java_ java-delayqueue DelayQueueTimers "" ""
java_ netty NettyWheel io.netty.util.HashedWheelTimer libnetty-java
java_ agrona AgronaWheel org.agrona.DeadlineTimerWheel ""

# Only tokio needs crates. Cargo.lock would ask for the versions of an earlier build.
crates=${CRATES:-/usr/share/cargo/registry}
rust() { (cd "$1" && rm -f Cargo.lock && CARGO_TARGET_DIR="$bin/rust" cargo build --release --quiet) 2>>"$log"; }
if ! command -v cargo >/dev/null; then
	needs "rust-floor rust-binheap rust-btreemap rust-binaryheap tokio" "cargo librust-tokio-util-dev"
else
	if rust rust; then
		for name in floor binheap btreemap binaryheap; do built "rust-$name" "./rust/release/$name"; done
	else
		fails "rust-floor, rust-binheap, rust-btreemap, rust-binaryheap"
	fi
	if ! ls -d "$crates"/tokio-util-* >/dev/null 2>&1; then
		needs tokio librust-tokio-util-dev
	elif TOKIO_UTIL=$(basename "$crates"/tokio-util-*) rust rust/tokio; then
		built tokio ./rust/release/timerbench-tokio
	else
		fails tokio
	fi
fi

if python=$(command -v python3); then
	built python-floor "$python" "$(pwd)/python/floor.py"
	built python-heapq "$python" "$(pwd)/python/heapq_timers.py"
else
	needs "python-floor python-heapq" python3
fi

for name in floor binheap; do
	if go build -o "$bin/go-$name" ./go/$name 2>>"$log"; then
		built "go-$name" "./go-$name"
	else
		fails "go-$name"
	fi
done

if [ -n "$packages" ]; then
	echo "left out:$missing; to build them: apt-get install$packages"
fi
echo "built: $(grep -c '^name' "$list") programs; bin/timerbench run --external $list"
