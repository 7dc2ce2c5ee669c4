// Package live puts loads on timers that run by a real clock: on package driver over
// any structure, on Go's own timers, and on whatever else is put behind a [System].
//
// Each contender gets the same loads:
//
//   - check starts, stops and moves timers at random from several goroutines and holds
//     every firing against a model of each timer.
//   - throughput has 1, 2, 4, 8 goroutines start and stop timers, move them, and let
//     them fire, while very many others are pending. Contenders take turns of
//     milliseconds, and are compared turn by turn.
//   - lateness starts timers at times that are fixed beforehand, whatever the contender
//     takes for it: the load is open-loop. A timer counts as late from the time at
//     which it was to be started, plus its delay. So a contender that holds up its
//     caller is charged with that too.
//   - idle leaves a few timers pending and counts what the process does meanwhile.
//   - memory takes the heap of the pending timers, and the processor time that they add to
//     a full garbage collection.
//
// A contender that fires early, late, twice or not at all, or that runs a function after
// its Stop returned true, is a failure and gets no figures.
//
// The order is random. The collector is off while throughput is measured; what is allocated
// there is counted.
package live
