#!/bin/sh
# build.sh builds the adapters of peers/<language> into peers/bin and lists those that were built in
# peers/bin/all.toml, for timerbench run --external. What a Debian package is missing for is
# left out with a sentence. RATAS and WAHERN are folders with timer-wheel.h and timeout.c.
set -u
cd "$(dirname "$0")"
bin=bin
mkdir -p $bin
list=$bin/all.toml
: >$list
log=$bin/build.log
: >$log

# built NAME COMMAND...: lists a program.
built() {
	name=$1
	shift
	words=
	for word in "$@"; do words="$words${words:+, }\"$word\""; done
	# With ten million timers only wheels take part, and what is as quick: others take hours.
	case $name in
	ratas | wahern | netty | tokio | cpp-binheap | cpp-priority_queue | rust-binaryheap) limit=0 ;;
	*) limit=1000000 ;;
	esac
	printf '[[external]]\nname = "%s"\ncommand = [%s]\nlimit = %s\n' "$name" "$words" $limit >>$list
}

# without NAME WHY...: says that it is left out.
without() {
	name=$1
	shift
	echo "$name is left out: $*"
}

# c NAME SOURCE HEADER PACKAGE FLAG...: an adapter in C or C++. HEADER must be there.
c() {
	name=$1 source=$2 header=$3 package=$4
	shift 4
	case $source in
	*.cpp) compiler="${CXX:-c++} -std=c++17" language=c++ ;;
	*) compiler="${CC:-cc} -std=gnu11" language=c ;;
	esac
	if ! command -v "${compiler%% *}" >/dev/null; then
		without "$name" "there is no ${compiler%% *}: apt-get install gcc g++"
	elif [ -n "$header" ] && ! echo "#include <$header>" | $compiler -E -x $language "$@" - >/dev/null 2>&1; then
		without "$name" "there is no $header: $package"
	elif $compiler -O2 -Wall -Wextra -o "$bin/$name" "c/$source" "$@" 2>>$log; then
		built "$name" "./$name"
	else
		without "$name" "it does not compile: see peers/$log"
	fi
}

flags() { pkg-config --cflags "$1" 2>/dev/null; }

c cpp-binheap binheap.cpp "" ""
c cpp-priority_queue tombstones.cpp "" ""
c cpp-multimap multimap.cpp "" ""
c bsd-tree bsdtree.c bsd/sys/tree.h "apt-get install libbsd-dev"
c asio asio.cpp boost/asio.hpp "apt-get install libboost-dev"
c libuv libuv.c uv.h "apt-get install libuv1-dev" -luv
c libuv-poll libuv.c uv.h "apt-get install libuv1-dev" -DREAL_POLL -luv
c libev libev.c ev.h "apt-get install libev-dev" -lev
c libevent libevent.c event2/event.h "apt-get install libevent-dev" -levent_core
c libevent-common libevent.c event2/event.h "apt-get install libevent-dev" -DCOMMON -levent_core
# shellcheck disable=SC2046
c glib glib.c glib.h "apt-get install libglib2.0-dev" $(flags glib-2.0) -lglib-2.0
# shellcheck disable=SC2046
c dpdk dpdk.c rte_timer.h "apt-get install libdpdk-dev" $(flags libdpdk) -lrte_timer -lrte_eal
c ratas ratas.cpp timer-wheel.h "give its folder, make peers RATAS=..." "-I${RATAS:-/nonexistent}"
c wahern wahern.c timeout.h "give its folder, make peers WAHERN=..." "-I${WAHERN:-/nonexistent}"

# java_ NAME CLASS JAR PACKAGE: an adapter in Java. JAR must be there.
java_() {
	name=$1 class=$2 jar=$3 package=$4
	if ! command -v javac >/dev/null; then
		without "$name" "there is no javac: apt-get install default-jdk-headless"
	elif [ -n "$jar" ] && [ ! -e "$jar" ]; then
		without "$name" "there is no $jar: $package"
	elif javac -cp "java:$jar" -d $bin/java java/Timerbench.java "java/$class.java" 2>>$log; then
		jars=$jar
		for more in /usr/share/java/jctools-core.jar; do [ -n "$jar" ] && jars="$jars:$more"; done
		printf '#!/bin/sh\nexec java -Xmx4g -cp "$(dirname "$0")/java:%s" %s "$@"\n' "$jars" "$class" >"$bin/$name"
		chmod +x "$bin/$name"
		built "$name" "./$name"
	else
		without "$name" "it does not compile: see peers/$log"
	fi
}

java_ java-binheap Binheap "" ""
java_ java-treemap TreeMapTimers "" ""
java_ java-delayqueue DelayQueueTimers "" ""
java_ netty NettyWheel /usr/share/java/netty-common.jar "apt-get install libnetty-java"

crates=/usr/share/cargo/registry
if ! command -v cargo >/dev/null; then
	without rust "there is no cargo: apt-get install rustc cargo librust-tokio-util-dev"
elif ! ls -d $crates/tokio-util-* >/dev/null 2>&1; then
	without rust "there is no tokio-util in $crates: apt-get install librust-tokio-util-dev"
elif (cd rust && CARGO_TARGET_DIR=../$bin/rust cargo build --release --quiet) 2>>$log; then
	for name in binheap btreemap binaryheap; do built "rust-$name" "./rust/release/$name"; done
	built tokio ./rust/release/delayqueue
else
	without rust "it does not compile: see peers/$log"
fi

if python=$(command -v python3); then
	built python-heapq "$python" "$(pwd)/python/heapq_timers.py"
else
	without python-heapq "there is no python3: apt-get install python3"
fi

if go build -o $bin/go-binheap ./go/binheap 2>>$log; then
	built go-binheap ./go-binheap
else
	without go-binheap "it does not compile: see peers/$log"
fi

echo "built: $(grep -c '^name' $list) programs; bin/timerbench run --external peers/$list"
