// Package timerbench answers one question: which data structure should hold my
// timers, and what will it cost?
//
// The module contains:
//
//   - a library: package [github.com/timerbench/timerbench/structures] defines the
//     contract. Each folder below it implements the contract with one structure,
//     from a binary heap to hierarchical wheels.
//   - a driver: package [github.com/timerbench/timerbench/driver] runs any structure
//     on the real clock, as a replacement for time.AfterFunc.
//   - a benchmark suite: package [github.com/timerbench/timerbench/bench] runs all
//     structures through the same workloads and proves each run correct before it
//     reports a time.
//   - a report: package [github.com/timerbench/timerbench/report] turns results into
//     tables, charts and one page.
//   - a recorder: package [github.com/timerbench/timerbench/trace] records the timer
//     operations of a program, to replay them on every structure.
//
// Start with the table of structures in the README, or measure them on this machine
// with
//
//	make bench
//
// To use a structure in a program, import its package, such as
// [github.com/timerbench/timerbench/structures/auto], or import the driver. Neither
// depends on anything outside the standard library.
package timerbench
