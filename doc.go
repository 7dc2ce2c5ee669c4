// Package timerbench answers one question: which data structure should hold my
// timers, and what will it cost?
//
// The module is
//
//   - a library: package [github.com/timerbench/timerbench/structures] is the
//     contract, and each folder below it one structure that keeps it, from a binary
//     heap to hierarchical wheels;
//   - a driver: package [github.com/timerbench/timerbench/driver] runs any of them by
//     the real clock, for programs that have used time.AfterFunc;
//   - a benchmark suite: package [github.com/timerbench/timerbench/bench] puts them
//     all through the same workloads, and proves each run before its time counts;
//   - a report: package [github.com/timerbench/timerbench/report] turns results into
//     tables, charts and one page;
//   - a recorder: package [github.com/timerbench/timerbench/trace] writes down what a
//     program does with its timers, so that it can be replayed on every structure.
//
// Start with the table of structures in the README, or with
//
//	make bench
//
// which measures them on this machine. To hold timers in a program, import one
// structure, such as [github.com/timerbench/timerbench/structures/auto], or the
// driver. Neither brings in anything outside the standard library.
package timerbench
