// Package driver runs timers. It drives a structure of this module by the real clock, for any number of goroutines. It
// does what time.AfterFunc does, for programs with very many timers, most of which are stopped or moved before they
// fire.
//
//	d, err := driver.New()
//	t := d.AfterFunc(30*time.Second, func() { conn.Close() })
//	t.Reset(30 * time.Second)
//	t.Stop()
//
// # Which method to use
//
//   - AfterFunc does what time.AfterFunc does. AfterWindow has a window instead of a deadline, so timers share wake-ups.
//   - Init turns a field of your own struct, such as a connection or a session, into a Timer. It costs the least.
//   - Schedule starts a timer that is used once: it fires or it is stopped. It returns a Handle, which is a small value.
//   - NewTimer, After and NewTicker send on channels, as in package time. They cost more than functions.
//   - At and Every follow the wall clock: a time of day, a period, or a cron expression by package crontab.
//   - WithTimeout and WithDeadline do what package context does, with a timer inside the context. Do not derive values from one.
//   - NewKeyed has a timer for each key, and NewQueue returns values when they are due. ResetAll moves many timers at once.
//
// # How it works
//
// Time is divided into ticks. The timers are spread over shards. Each shard has a structure and a lock. A timer never
// changes its shard, and no goroutine ever holds the locks of two. All shards share the alarm, a timer of package time, with
// Precise also a timerfd. It is set to the first tick at which a structure has work to do, and stays set if that timer
// is stopped. When the alarm goes off, a pass pops the due timers from the structures, tick by tick, and hands their
// functions to the goroutines that run them.
//
// A timer without a delay bypasses the structure. It fires where it is started, or, if functions run in order, in a
// pass that starts at once.
//
// A Timer that is moved to a later deadline keeps its place in the structure. Reset stores the new deadline in the
// Timer and takes no lock, unless functions run in order. When the old deadline comes, the pass puts the timer at the new one. The driver may wake up
// for that alone.
//
// A Stop among hundreds of timers of a shard that another goroutine uses marks the Timer, and puts its ID into a box of the
// goroutine. 32 such timers leave the structure together, or before the next pass.
//
// docs/driver.md compares the costs with those of package time.
//
// # Promises
//
//   - No timer fires early by the monotonic clock. Deadlines are rounded up to ticks, so a timer is late by up to a
//     tick, some µs, and the time that it takes to get a processor. A timer without a delay fires at once.
//   - A timer fires once. Until its function begins, Stop and Reset of a Timer take it back, also when it is due and others
//     run before it. If Stop returns true, the function never runs.
//   - After the program has been suspended, all due timers fire in the order of their deadlines, in ticks. Within a tick
//     they run in the order of their last start or Reset with Inline and Workers(1), and otherwise in any order.
//   - When StopWait has returned nil, the function is not running.
//   - Any goroutine may call Stop, Reset and the other methods at any time, even while the timer fires or from within
//     its function.
//   - No lock is held while a function runs, nor while more than Budget timers are popped from a structure.
//   - A timer that was stopped or has fired leaves no more than its slot, some 30 bytes, which a later timer uses: one that
//     is in a box, after the next garbage collection. A structure keeps as many slots as there were timers at the same
//     time. It cannot shrink while Handles name them. Close releases them.
//   - The driver has no goroutine while it has no work, and it does not wake up while no timer is pending, unless it
//     is Ticking.
//   - After Close, no function is called. A function that was called before Close may still be about to execute its
//     first statement. After Shutdown, no function is running.
//   - Misuse panics with a sentence, at the mistake if it can be found there: a nil function, the zero Driver, Init of
//     a pending Timer, a Driver on the wrong side of a testing/synctest bubble, a Timer that was overwritten while it
//     was pending.
//
// # Execution
//
// Goroutines is for functions of any kind: a function that blocks delays no other one. The first function of a
// pass runs on the goroutine of the pass. Others follow there as long as they return quickly. Workers runs at
// most n functions at a time, which limits the resources that they use together. Inline runs functions one
// after the other in the order of their deadlines, with the least delay and cost. It is for functions that do
// not block, such as a send to a channel that has room.
package driver
