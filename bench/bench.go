// Package bench runs timer structures through workloads and measures what they
// cost.
//
// It stands on three packages that know nothing of each other's users:
//
//   - Package workload has the uses of timers. A workload writes a script.
//   - Package script has the operations of a script, in blocks, and what must come
//     of each block.
//   - Package results has the file in which a run is kept.
//
// Here they meet:
//
//   - A source gives the blocks of a cell: a script, or a [Trace].
//   - A replayer puts a structure through a block, timed in one of three ways, and
//     holds what it did against the proof in the block.
//   - A cell is a workload at one size: contenders, and trials in random order.
//     The idle analysis counts wake-ups instead of time.
//   - [Run] goes through the cells of a [Profile].
//
// What is timed is the structure: random numbers, deadlines and victims are made
// before the clock starts, and what is left of the harness is measured as a row
// of its own, a scheduler that does nothing.
package bench
