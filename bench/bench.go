// Package bench runs timer structures through workloads and measures their cost.
//
// It builds on three packages:
//
//   - Package workload defines the workloads. A workload writes a script.
//   - Package script defines the operations of a script, in blocks, and the expected
//     outcome of each block.
//   - Package results defines the file that stores a run.
//
// Package bench combines them:
//
//   - A source provides the blocks of a cell. It is a script or a [Trace].
//   - A replayer runs the operations of a block on a structure, timed in one of three
//     ways, and compares the outcome with the proof in the block.
//   - A cell is a workload at one size. It has several contenders, and each trial runs
//     them in random order. The idle analysis counts wake-ups instead of time.
//   - [Run] measures the cells of a [Profile].
//
// Only the structure is timed. Random numbers, deadlines and the timers to cancel are
// chosen before the clock starts. The cost of the harness itself is measured as a row
// of its own: a scheduler that does nothing.
package bench
