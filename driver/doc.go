// Package driver runs timers: it drives a structure of this module by the real clock,
// for any number of goroutines. It does what time.AfterFunc does, for programs that
// have very many timers, most of which are stopped or moved before they fire.
//
//	d, err := driver.New()
//	t := d.AfterFunc(30*time.Second, func() { conn.Close() })
//	t.Reset(30 * time.Second)
//	t.Stop()
//
// # Which one to use
//
//   - Init makes a Timer of a field of what is timed. It costs the least where there is
//     such a thing: a connection, a session.
//   - Schedule starts a timer that is stopped or fires, and is not used again after. Its
//     Handle is a value.
//   - AfterFunc does what time.AfterFunc does.
//
// # How it works
//
// Time is divided into ticks. The timers are spread over shards, each of which has a
// structure and a lock. A timer stays in its shard for good, and no goroutine ever
// holds two locks. All shards share one timer of Go's runtime, the alarm. It is set to
// the first tick at which a structure has something to do, and is off while no timer is
// pending. When it goes off, a pass takes what is due out of the structures, tick by
// tick, and hands the functions over to those who run them.
//
// What is due at once goes round the structure, which could not hold it for less than a
// tick: it is run, sent or queued where it is started, or by a pass that is made at once
// where functions run in order.
//
// A Timer that is moved to a later deadline stays where it is in the structure. The
// new deadline is stored beside the function, which takes no lock, and the timer is
// put where it belongs when the old deadline has come: the driver may wake up for that
// alone.
//
// What all this costs, beside package time, is in docs/driver.md.
//
// # Promises
//
//   - No timer fires early by the monotonic clock. Deadlines are rounded up to ticks: a
//     timer is late by up to a tick and some µs, and by what it takes to get a processor.
//     One without a delay fires at once.
//   - Each timer fires once. If Stop returns true its function never runs.
//   - After the program has stood still all that is due fires, in the order of the
//     deadlines, in ticks.
//   - When StopWait has returned nil the function does not run.
//   - Stop, Reset and all other methods can be called at any time, also while the timer
//     fires and from within its function.
//   - No lock is held while a function runs, nor while more than Budget timers are taken
//     out of a structure.
//   - Nothing is kept of a timer that was stopped or has fired but its place, some 30 bytes
//     that the next one takes. A structure keeps as many as there were timers at a time: it
//     cannot shrink while Handles name them. Close gives them back.
//   - There is no goroutine but while something is done, and no wake-up while no timer is
//     pending, unless the driver is Ticking.
//   - After Close no function is called. One that was called before may have its first
//     statement still to come: no more than run at a time. After Shutdown none runs.
//   - Misuse panics with a sentence, where it happens if that can be known there: a function
//     that is nil, the zero Driver, Init of a pending Timer, a Driver on the wrong side of a
//     testing/synctest bubble, a Timer that was overwritten while it was pending.
//
// # Execution
//
// Goroutines is for functions of any kind: one that blocks delays no other. The first
// function of a pass runs on the goroutine of the pass, and others follow there as long
// as they return quickly. With Workers, functions wait while n of them run: it limits
// what they use together. Inline runs one after the other in the order of their
// deadlines, with the least delay and cost. It is for functions that do not block, such
// as those that send to a channel with room.
package driver
