// Package live applies loads to timers on a real clock: package driver with any
// structure, Go's own timers, and any other implementation of [System].
//
// Each contender gets the same loads:
//
//   - check starts, stops and moves timers at random from several goroutines and compares
//     every firing with a model of each timer.
//   - throughput starts, stops, moves and fires timers while a large number of other timers is pending. Contenders alternate in slices of
//     milliseconds and are compared slice by slice. Timers that are stopped are due a few
//     milliseconds after their start, and so are moved timers, up to 10,000 of them. An operation runs
//     untimed until the first ones are due, so at any moment of a slice as many old deadlines pass as
//     timers are stopped or moved. A structure that only marks such timers pays for them there. Moves of
//     more timers are not in this steady state (results.Due), and all are as far away as before.
//   - loops are what users write ([results.Loops]): each of 1, 2, 4 and 8 goroutines does one thing again and again, among
//     pending timers of minutes that all goroutines share. A slice has 50 ms if there is time, because goroutines that have
//     just begun find their timers in places that suit others.
//   - lateness starts timers at predetermined times, however slow the contender is: the
//     load is open-loop. The lateness of a timer counts from its intended start plus its
//     delay, so a contender that blocks its caller is charged for that too.
//   - memory measures the heap of the pending timers and the processor time that they add
//     to a full garbage collection.
//
// A contender fails and gets no figures if a timer fires early, late, twice or never, or if
// a function runs after Stop returned true.
//
// The order of contenders is random. The garbage collector is off while throughput is measured.
package live
