#!/usr/bin/env bash
# Java: one slow fallback after orTimeout stops all timeouts of all CompletableFutures in the process.
#
# Guess: future.orTimeout(200 ms).exceptionally(e -> readOldValueFromDisk()) runs the fallback in the common pool, or at least in a thread
# that nobody else needs; another future with completeOnTimeout of 500 ms gets its default after 500 ms.
# Seen: the JDK has one thread for the timeouts of all futures. It completes the future, and a dependent without "Async" in its name runs in
# the thread that completes: so it runs there, and while it takes four seconds no timeout and no delayedExecutor comes. exceptionallyAsync
# does no harm. Java 25 moved the timeouts to the common pool, whose thread for delays does the same.
# Whom it hurts: services with a fallback that blocks (a cache, a second service, a log): when the first service stalls, the
# timeouts that were to protect the rest of the process come late, one fallback after the other.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
command -v javac >/dev/null || apt-get install -y -qq --no-install-recommends openjdk-17-jdk-headless >/dev/null

cat >Main.java <<'JAVA'
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

class Main {
    static String slowFallback(Throwable e) {
        System.out.println("  the fallback of four seconds runs in " + Thread.currentThread().getName());
        try {
            Thread.sleep(4000);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
        return "old value";
    }

    /** Returns whether another future gets its default, due after 500 ms, before three seconds have passed. */
    static boolean punctual(String name, Function<CompletableFuture<String>, CompletableFuture<String>> fallback) {
        System.out.println(name + ":");
        long begin = System.nanoTime();
        CompletableFuture<String> first = fallback.apply(new CompletableFuture<String>().orTimeout(200, MILLISECONDS));
        new CompletableFuture<String>().completeOnTimeout("default", 500, MILLISECONDS).join();
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf("  another future gets its default, due after 0.5 s, after %.1f s%n", seconds);
        first.join();
        return seconds < 3;
    }

    public static void main(String[] args) {
        System.out.println("Java " + System.getProperty("java.version"));
        boolean here = punctual("exceptionally", future -> future.exceptionally(Main::slowFallback));
        boolean async = punctual("exceptionallyAsync", future -> future.exceptionallyAsync(Main::slowFallback));
        if (here || !async) {
            System.out.println("CHANGED: 4.2 s and 0.5 s were seen");
            System.exit(1);
        }
    }
}
JAVA
javac Main.java
java Main
